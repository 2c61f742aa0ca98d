//! Evaluated initialisers.

use frontend::ast::{ConstantData, RelocationTarget, TranslationUnit};

use crate::{try_unit, unit};

fn data<'a>(unit: &'a TranslationUnit, name: &str) -> &'a ConstantData {
    let variable = unit.variables.iter().find(|variable| variable.name == name);
    variable
        .and_then(|variable| variable.init.as_ref())
        .unwrap()
}

fn bytes<'a>(unit: &'a TranslationUnit, name: &str) -> &'a str {
    match data(unit, name) {
        ConstantData::Data { bytes, .. } => bytes.trim_end_matches("00"),
        ConstantData::Unsupported(why) => panic!("{name}: {why}"),
    }
}

#[test]
fn values_are_flattened() {
    let cases = [
        ("int x = -2;", "feffffff"),
        ("unsigned char x[] = {[3] = 4, [1] = 2};", "00020004"),
        ("char x[8] = \"xyz\";", "78797a"),
        ("char x[2] = \"ab\";", "6162"),
        ("double x = 1.5;", "000000000000f83f"),
        ("_Bool x = 3;", "01"),
        ("__int128 x = (__int128)1 << 64;", "000000000000000001"),
        (
            "struct { int k; union { int a; struct { char p, q; }; }; } x = {.k = 1, .q = 5};",
            "010000000005",
        ),
        (
            "struct { unsigned a:3, b:7; int:0; signed c:20; _Bool d:1; } x = {5, 100, -3, 1};",
            "25030000fdff1f",
        ),
        (
            "struct { short a, b; } x[] = {[0 ... 2] = {3, 4}, {5}};",
            "03000400030004000300040005",
        ),
        (
            "struct { int n; int a[]; } x = {2, {7, 8}};",
            "020000000700000008",
        ),
        ("static const int c = 4; int x = c + sizeof(int);", "08"),
        ("enum { BIG = 0x100000000 }; long x = BIG;", "0000000001"),
        ("void *x = (void *)16;", "10"),
    ];
    for (source, expected) in cases {
        assert_eq!(bytes(&unit(source), "x"), expected, "{source}");
    }
}

#[test]
fn pointers_are_relocations() {
    let source = "int a[4]; int *x = &a[2]; long y = (long)&a[1]; int g(void); int (*z)(void) = g;\n\
                  const char *s[2] = {\"ab\", \"cd\" + 1}; struct pt { int x, y; } *p = &(struct pt){1, 2};\n";
    let unit = unit(source);
    let relocations = |name: &str| -> Vec<(u64, String, i64)> {
        let ConstantData::Data { relocations, .. } = data(&unit, name) else {
            panic!("{name}");
        };
        let target = |target: &RelocationTarget| match target {
            RelocationTarget::Variable(index) => unit.variables[*index].name.clone(),
            RelocationTarget::Function(index) => unit.functions[*index].name.clone(),
        };
        relocations
            .iter()
            .map(|r| (r.offset, target(&r.target), r.addend))
            .collect()
    };
    assert_eq!(relocations("x"), [(0, "a".to_owned(), 8)]);
    assert_eq!(relocations("y"), [(0, "a".to_owned(), 4)]);
    assert_eq!(relocations("z"), [(0, "g".to_owned(), 0)]);
    assert_eq!(
        relocations("s"),
        [(0, String::new(), 0), (8, String::new(), 1)]
    );
    assert_eq!(relocations("p"), [(0, String::new(), 0)]);
}

#[test]
fn literals_are_variables_without_a_name() {
    let unit = unit("const char *s = \"ab\";\n");
    let literal = unit
        .variables
        .iter()
        .find(|variable| variable.name.is_empty())
        .unwrap();
    assert_eq!(unit.types[literal.ty].size, 3);
    assert!(matches!(&literal.init, Some(ConstantData::Data { bytes, .. }) if bytes == "6162"));
}

#[test]
fn what_has_no_bytes_says_why() {
    let unit = unit(
        "_Complex double c = 1; void *f(void) { static void *t[] = {&&a}; a: return t[0]; }\n",
    );
    for name in ["c", "t"] {
        assert!(
            matches!(data(&unit, name), ConstantData::Unsupported(_)),
            "{name}"
        );
    }
}

#[test]
fn a_large_sparse_array_is_small() {
    let unit = try_unit("int x[1 << 28] = {1};\n", &[]).unwrap();
    assert_eq!(bytes(&unit, "x"), "01");
}
