//! Emitted C files compile without warnings under gcc and clang, and their tests pass or fail as
//! they should.

mod common;

use common::{Saying, Unit, all_pass, compile, run, test, write};
use ir::input::{InputValue, Root};
use ir::test::{Observed, Outcome};

#[test]
fn scalars_and_results() {
    let unit_text = "int max(int a, int b) { return a > b ? a : b; }\n";
    let mut unit = Unit::new("fn max(a: int, b: int) -> int { bb0: return _0 }", "max");
    let a = unit.parameter(0, "int");
    let b = unit.parameter(1, "int");
    let (a, b) = (unit.cell(a, 0, "int"), unit.cell(b, 0, "int"));
    let tests = [
        test(0).bits(a, 3).returns(&unit, "int", Observed::Bits(3)),
        test(1).bits(a, 0xffff_ffff).bits(b, 0x7fff_ffff).returns(
            &unit,
            "int",
            Observed::Bits(0x7fff_ffff),
        ),
    ];
    let text = unit.file("unit.c", &tests).text();
    assert!(text.contains("int a = -1;\n    int b = INT_MAX;"), "{text}");
    assert!(text.contains("CHECK(result, INT_MAX);"), "{text}");
    all_pass(unit_text, &text);
}

#[test]
fn a_wrong_expectation_fails_with_both_values() {
    let mut unit = Unit::new("fn same(x: int) -> int { bb0: return _0 }", "same");
    let x = unit.parameter(0, "int");
    let x = unit.cell(x, 0, "int");
    let tests = [
        test(0).bits(x, 3).returns(&unit, "int", Observed::Bits(3)),
        test(1).bits(x, 3).returns(&unit, "int", Observed::Bits(4)),
    ];
    let folder = tempfile::tempdir().expect("a scratch folder");
    let text = unit.file("unit.c", &tests).text();
    let source = write(folder.path(), "int same(int x) { return x; }\n", &text);
    let program = compile("gcc", &source, &[]);
    let output = run(&program, &[]);
    let said = String::from_utf8_lossy(&output.stdout);
    assert_eq!(output.status.code(), Some(1));
    assert!(said.contains("result is 3, expected 4"), "{said}");
    assert!(said.contains("2 tests: 1 passed, 1 failed"), "{said}");
    assert_eq!(run(&program, &["--test", "0"]).status.code(), Some(0));
    assert_eq!(run(&program, &["--test", "1"]).status.code(), Some(1));
    assert_eq!(run(&program, &["--test", "7"]).status.code(), Some(2));
    let listed = run(&program, &["--list"]).stdout;
    assert_eq!(String::from_utf8_lossy(&listed), "0\n1\n");
}

#[test]
fn strings_out_parameters_and_globals() {
    let unit_text = "
        static unsigned calls; struct point { char tag; short xy[2]; } where;
        unsigned long measure(const char *text, unsigned long *out, void *any) {
            unsigned long n = 0;
            while (text[n]) n++;
            if (out) *out = n * 2;
            if (any) ((char *)any)[1] = 'z';
            calls++;
            where.xy[1] = -5;
            return n; }\n";
    let mut unit = Unit::new(
        "rec0 struct \"struct point\" { tag: char, xy: [2 x short] }
         static global calls: uint = 0
         global where: rec0 = x\"00\"
         fn measure(text: *const char, out: *ulong, any: *void) -> ulong { bb0: return 0 }",
        "measure",
    );
    let text_cell = {
        let object = unit.parameter(0, "const char *");
        unit.cell(object, 0, "const char *")
    };
    let out_cell = {
        let object = unit.parameter(1, "unsigned long *");
        unit.cell(object, 0, "unsigned long *")
    };
    let any_cell = {
        let object = unit.parameter(2, "void *");
        unit.cell(object, 0, "void *")
    };
    let text = unit.object(Root::Pointee(text_cell), "char");
    let letters: Vec<_> = (0..3).map(|i| unit.cell(text, i * 8, "char")).collect();
    let out = unit.object(Root::Pointee(out_cell), "unsigned long");
    let any = unit.object(Root::Pointee(any_cell), "char");
    let calls = unit.global("calls", "unsigned int");
    let calls_cell = unit.cell(calls, 0, "unsigned int");
    let place = unit.global("where", "struct point");
    let x = unit.cell(place, 16, "short");
    let tests = [
        test(0)
            .with(text_cell, InputValue::Fresh)
            .bits(letters[0], u128::from(b'h'))
            .bits(letters[1], u128::from(b'i'))
            .extent(text, 0, 3)
            .with(out_cell, InputValue::Fresh)
            .extent(out, 0, 8)
            .with(any_cell, InputValue::Fresh)
            .extent(any, 0, 2)
            .bits(calls_cell, 0xffff_ffff)
            .bits(x, 9)
            .returns(&unit, "unsigned long", Observed::Bits(2))
            .leaves(&unit, out, 0, "unsigned long", Observed::Bits(4))
            .leaves(&unit, any, 8, "char", Observed::Bits(u128::from(b'z')))
            .leaves(&unit, calls, 0, "unsigned int", Observed::Bits(0))
            .leaves(&unit, place, 32, "short", Observed::Bits(0xfffb)),
        test(1)
            .with(text_cell, InputValue::Fresh)
            .extent(text, 0, 1)
            .returns(&unit, "unsigned long", Observed::Bits(0)),
    ];
    let written = unit.file("unit.c", &tests).text();
    assert!(written.contains("char text_data[3] = \"hi\";"), "{written}");
    assert!(written.contains("where.xy[0] = 9;"), "{written}");
    assert!(written.contains("CHECK(where.xy[1], -5);"), "{written}");
    assert!(written.contains("calls = UINT_MAX;"), "{written}");
    all_pass(unit_text, &written);
}

#[test]
fn graphs_with_cycles_aliases_and_interiors() {
    let unit_text = "
        struct node { int value; struct node *next; int *inside; };
        int walk(struct node *list, int *last) {
            return list->next->next == list && list->inside == &list->next->value
                && last[-1] == 7 && last[0] == 8; }\n";
    let mut unit = Unit::new(
        "rec0 struct \"struct node\" { value: int, next: *rec0, inside: *int }
         fn walk(list: *rec0, last: *int) -> int { bb0: return 0 }",
        "walk",
    );
    let list = unit.parameter(0, "struct node *");
    let list = unit.cell(list, 0, "struct node *");
    let first = unit.object(Root::Pointee(list), "struct node");
    let next = unit.cell(first, 64, "struct node *");
    let inside = unit.cell(first, 128, "int *");
    let second = unit.object(Root::Pointee(next), "struct node");
    let back = unit.cell(second, 64, "struct node *");
    let last = unit.parameter(1, "int *");
    let last = unit.cell(last, 0, "int *");
    let numbers = unit.object(Root::Pointee(last), "int");
    let (before, at) = (unit.cell(numbers, -32, "int"), unit.cell(numbers, 0, "int"));
    let alias = |object, offset| InputValue::Alias { object, offset };
    let tests = [test(0)
        .with(list, InputValue::Fresh)
        .extent(first, 0, 24)
        .with(next, InputValue::Fresh)
        .extent(second, 0, 24)
        .with(back, alias(first, 0))
        .with(inside, alias(second, 0))
        .with(last, InputValue::Fresh)
        .extent(numbers, 4, 8)
        .bits(before, 7)
        .bits(at, 8)
        .returns(&unit, "int", Observed::Bits(1))
        .leaves(
            &unit,
            second,
            64,
            "struct node *",
            Observed::Inside(first, 0),
        )];
    let written = unit.file("unit.c", &tests).text();
    assert!(written.contains("int last_data[3] = {7, 8};"), "{written}");
    assert!(written.contains("int *last = &last_data[1];"), "{written}");
    assert!(written.contains(".inside = &list_next.value"), "{written}");
    all_pass(unit_text, &written);
}

#[test]
fn stubs_externs_and_failing_allocations() {
    let unit_text = "
        #include <stdlib.h>
        extern int read_sensor(int channel); extern void note(const char *text);
        extern const int limit; extern int table[]; extern int never(void);
        int sum(void) {
            int *room = malloc(8);
            int total = read_sensor(1) + rand();
            if (!room) total += 1000;
            free(room);
            note(\"x\");
            if (total < 0) never();
            return total + read_sensor(2) + limit + table[2]; }\n";
    let mut unit = Unit::new(
        "file0 \"unit.c\"
         file1 \"/usr/include/stdlib.h\"
         unit0 user \"unit.c\"
         unit1 model \"stdlib.c\"
         const global limit: int span file0:1:1-1:5
         global table: [_ x int] span file0:1:1-1:5
         fn read_sensor(channel: int) -> int span file0:1:1-1:5
         fn note(text: *const char) -> void span file0:1:1-1:5
         fn never() -> int span file0:1:1-1:5
         fn rand() -> int span file1:1:1-1:5
         fn malloc(size: ulong) -> *void in unit1 { bb0: return null }
         fn sum() -> int { bb0: return 0 }",
        "sum",
    );
    let read_sensor = unit.function("read_sensor");
    let rand = unit.function("rand");
    let mut result = |function, nth| {
        let object = unit.object(Root::Result { function, nth }, "int");
        unit.cell(object, 0, "int")
    };
    let (one, two, random) = (
        result(read_sensor, 0),
        result(read_sensor, 1),
        result(rand, 0),
    );
    let limit = unit.global("limit", "int");
    let limit = unit.cell(limit, 0, "int");
    let table = unit.global("table", "int []");
    let third = unit.cell(table, 64, "int");
    let fails = unit.object(Root::AllocationFails { nth: 0 }, "int");
    let int = unit.ty("int");
    let fails = unit.bits_cell(fails, 0, int, 1);
    let mut base = test(0)
        .bits(one, 3)
        .bits(two, 4)
        .bits(random, 50)
        .bits(limit, 100)
        .bits(third, 7);
    base.calls = [(read_sensor, 2), (rand, 1)].into();
    let mut failing = base.clone().bits(fails, 1);
    failing.id = ir::TestId::from_usize(1);
    let tests = [
        base.returns(&unit, "int", Observed::Bits(164)),
        failing.returns(&unit, "int", Observed::Bits(1164)),
    ];
    let written = unit.file("unit.c", &tests).text();
    assert!(
        written.contains("#define rand attest_stub_rand"),
        "{written}"
    );
    assert!(
        written.contains("int read_sensor_results[] = {3, 4};"),
        "{written}"
    );
    all_pass(unit_text, &written);
}

#[test]
fn main_declared_inputs_and_exit() {
    let unit_text = "
        #include <stdlib.h>
        void __attest_assume(int condition);
        void __attest_input(void *object, unsigned long size, const char *name);
        int main(void) {
            int x[2]; unsigned char y; short raw[2];
            __attest_input(raw, sizeof raw, \"raw\");
            if (raw[1] == 0x0201) return 3;
            for (int i = 0; i < 2; i++) __attest_input(&x[i], sizeof x[i], \"x[i]\");
            __attest_input(&y, 1, \"y\");
            __attest_assume(x[0] != 0);
            if (y == 9) exit(x[1]);
        }\n";
    let mut unit = Unit::new(
        "fn __attest_assume(condition: int) -> void
         fn __attest_input(object: *void, size: ulong, name: *const char) -> void
         types uchar
         fn main() -> int { bb0: return 0 }",
        "main",
    );
    let mut declared = |name: &str, nth, ty: &str| {
        let name = name.to_owned();
        let object = unit.object(Root::Declared { name, nth }, ty);
        unit.cell(object, 0, ty)
    };
    let first = declared("x[i]", 0, "int");
    let second = declared("x[i]", 1, "int");
    let y = declared("y", 0, "unsigned char");
    let root = Root::Declared {
        name: "raw".to_owned(),
        nth: 0,
    };
    let raw = unit.object(root, "unsigned char");
    let low = unit.cell(raw, 16, "unsigned char");
    let high = unit.cell(raw, 24, "unsigned char");
    let tests = [
        test(0)
            .bits(first, 1)
            .returns(&unit, "int", Observed::Bits(0)),
        test(1)
            .bits(first, 1)
            .bits(second, 42)
            .bits(y, 9)
            .ends(Outcome::Exit(Some(42))),
        test(2)
            .bits(low, 1)
            .bits(high, 2)
            .returns(&unit, "int", Observed::Bits(3)),
    ];
    let written = unit.file("unit.c", &tests).text();
    all_pass(unit_text, &written);
    let rejected = [test(0).ends(Outcome::Return)];
    let written = unit.file("unit.c", &rejected).text();
    let folder = tempfile::tempdir().expect("a scratch folder");
    let program = compile("gcc", &write(folder.path(), unit_text, &written), &[]);
    assert_eq!(run(&program, &["--test", "0"]).status.code(), Some(77));
    assert_eq!(run(&program, &[]).status.code(), Some(1));
}

#[test]
fn unions_bit_fields_enums_and_function_pointers() {
    let unit_text = "
        enum mode { OFF, SLOW = 3, FAST };
        union word { unsigned whole; unsigned char bytes[4]; };
        struct state { enum mode mode; unsigned low : 3; signed high : 5; union word word;
            struct { short a, b; }; _Bool on; __int128 big; int grid[2][3]; };
        static int twice(int x) { return 2 * x; }
        int run(struct state s, int (*step)(int), int (*rows)[3], struct state *out) {
            out->mode = FAST; out->low = 7; out->high = -16; out->b = 12;
            return s.mode == FAST && s.low == 5 && s.high == -3 && s.word.bytes[1] == 0xab
                && s.b == 4 && s.on && s.big == -2 && s.grid[1][2] == 6 && rows[1][2] == 11
                ? step(21) : 0; }\n";
    let mut unit = Unit::new(
        "enum0 \"enum mode\": uint { OFF = 0, SLOW = 3, FAST = 4 }
         rec0 union \"union word\" { whole: uint, bytes: [4 x uchar] }
         rec1 struct { a: short, b: short }
         rec2 struct \"struct state\" size 64 align 16 { mode: enum0 @0, low: uint @32 bits 3, high: int @35 bits 5, word: rec0 @64,
            ?: rec1 @96, on: bool @128, big: int128 @256, grid: [2 x [3 x int]] @384 }
         static fn twice(x: int) -> int { bb0: return 0 }
         fn run(s: rec2, step: *fn(int) -> int, rows: *[3 x int], out: *rec2) -> int { bb0: return 0 }",
        "run",
    );
    let s = unit.parameter(0, "struct state");
    let (int, unsigned) = (unit.ty("int"), unit.ty("unsigned int"));
    let mode = unit.cell(s, 0, "enum mode");
    let low = unit.bits_cell(s, 32, unsigned, 3);
    let high = unit.bits_cell(s, 35, int, 5);
    let byte = unit.cell(s, 72, "unsigned char");
    let b = unit.cell(s, 112, "short");
    let on = unit.cell(s, 128, "_Bool");
    let big = unit.cell(s, 256, "__int128");
    let corner = unit.cell(s, 384 + 5 * 32, "int");
    let step = unit.parameter(1, "int (*)(int)");
    let step = unit.cell(step, 0, "int (*)(int)");
    let rows = unit.parameter(2, "int (*)[3]");
    let rows = unit.cell(rows, 0, "int (*)[3]");
    let matrix = unit.object(Root::Pointee(rows), "int [3]");
    let element = unit.cell(matrix, 5 * 32, "int");
    let out = unit.parameter(3, "struct state *");
    let out = unit.cell(out, 0, "struct state *");
    let out_object = unit.object(Root::Pointee(out), "struct state");
    let twice = unit.function("twice");
    let mut full = test(0)
        .bits(mode, 4)
        .bits(low, 5)
        .bits(high, 0b11101)
        .bits(byte, 0xab)
        .bits(b, 4)
        .bits(on, 1)
        .bits(big, u128::MAX - 1)
        .bits(corner, 6)
        .with(step, InputValue::Function(twice))
        .with(rows, InputValue::Fresh)
        .extent(matrix, 0, 24)
        .bits(element, 11)
        .with(out, InputValue::Fresh)
        .extent(out_object, 0, 64)
        .returns(&unit, "int", Observed::Bits(42))
        .leaves(&unit, out_object, 0, "enum mode", Observed::Bits(4))
        .leaves(&unit, out_object, 112, "short", Observed::Bits(12))
        .leaves(&unit, out_object, 32, "unsigned int", Observed::Bits(7))
        .leaves(&unit, out_object, 35, "int", Observed::Bits(0b10000));
    full.observations[3].width = 3;
    full.observations[4].width = 5;
    let tests = [full];
    let written = unit.file("unit.c", &tests).text();
    assert!(
        written.contains(".mode = FAST, .low = 5, .high = -3"),
        "{written}"
    );
    assert!(written.contains("CHECK(state.high, -16);"), "{written}");
    all_pass(unit_text, &written);
}
