//! Small C units with programs in `ir`'s text form, and tests made by hand.

#![allow(dead_code)] // each test file uses a part of it

use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Command, Output};

use emit::Subject;
use emit::c::file::TestFile;
use emit::replay::{ReadUnit, Tools};
use ir::input::{Extent, InputCell, InputSpace, InputValue, Root};
use ir::test::{Observation, Observed, ObservedPlace, Outcome, TestCase};
use ir::{CellId, FunctionId, ObjectId, Program, TestId, TypeId};

/// Reads raw profiles as LLVM's tools do.
const READ_PROFILES: &str = r#"
program=$1
shift
printf '{"runs": ['
between=
all=
for raw; do
    printf '%s' "$between"
    between=,
    if test -s "$raw"; then
        llvm-profdata-19 merge -sparse "$raw" -o "$raw.data" || exit 1
        llvm-cov-19 export -skip-expansions -instr-profile="$raw.data" "$program" || exit 1
        all=$raw.data
    else
        printf null
    fi
done
printf ']'
if test -n "$all"; then
    printf ', "all": '
    llvm-cov-19 export -skip-expansions -instr-profile="$all" "$program" || exit 1
fi
printf '}'
"#;

/// The programs that replay needs.
pub fn tools() -> Tools {
    let words = ["/bin/sh", "-c", READ_PROFILES, "profiles"];
    Tools::new(words.map(Into::into).to_vec())
}

/// No test here is about combinations of conditions, for which units are read again.
pub const READ_UNIT: ReadUnit = ReadUnit(|_, _| None);

/// A program with the numbering of its inputs.
pub struct Unit {
    pub program: Program,
    pub space: InputSpace,
    pub entry: FunctionId,
}

impl Unit {
    pub fn new(text: &str, entry: &str) -> Self {
        let program = ir::text::parse(text).unwrap_or_else(|error| panic!("{error}"));
        let entry = program.function(entry).expect("the entry exists");
        Unit {
            program,
            space: InputSpace::default(),
            entry,
        }
    }

    /// The type that C writes so.
    pub fn ty(&self, c_name: &str) -> TypeId {
        let types = &self.program.types;
        types
            .iter()
            .find(|(id, _)| types.declare(*id, "") == c_name)
            .unwrap_or_else(|| panic!("no type {c_name}"))
            .0
    }

    pub fn object(&mut self, root: Root, ty: &str) -> ObjectId {
        let ty = self.ty(ty);
        self.space.object(root, ty)
    }

    pub fn parameter(&mut self, index: u32, ty: &str) -> ObjectId {
        self.object(Root::Parameter(index), ty)
    }

    pub fn global(&mut self, name: &str, ty: &str) -> ObjectId {
        let id = self
            .program
            .globals
            .iter_enumerated()
            .find(|(_, global)| global.name == name)
            .expect("the global exists")
            .0;
        self.object(Root::Global(id), ty)
    }

    pub fn function(&self, name: &str) -> FunctionId {
        self.program.function(name).expect("the function exists")
    }

    pub fn cell(&mut self, object: ObjectId, bit: i64, ty: &str) -> CellId {
        let ty = self.ty(ty);
        let width = match self.program.types.int(ty) {
            Some(int) if int.name == ir::IntName::Bool => 1,
            _ => (self.program.types.size(ty) * 8) as u32,
        };
        self.bits_cell(object, bit, ty, width)
    }

    pub fn bits_cell(&mut self, object: ObjectId, bit: i64, ty: TypeId, width: u32) -> CellId {
        self.space.cell(InputCell {
            object,
            offset_bits: bit,
            ty,
            width,
        })
    }

    pub fn subject(&self) -> Subject<'_> {
        Subject {
            program: &self.program,
            types: &self.program.types,
            space: &self.space,
            entry: self.entry,
            sequence: None,
        }
    }

    pub fn file<'a>(&'a self, unit: &str, tests: &'a [TestCase]) -> TestFile<'a> {
        TestFile {
            spelled: std::collections::BTreeSet::new(),
            pragmas: Default::default(),
            unshown: std::collections::BTreeSet::new(),
            subject: self.subject(),
            unit: unit.to_owned(),
            forced: Vec::new(),
            tests: tests.iter().collect(),
            suite: tests.iter().collect(),
            titles: BTreeMap::new(),
            notes: BTreeMap::new(),
        }
    }
}

pub fn test(id: usize) -> TestCase {
    TestCase {
        trace: None,
        path_confirmed: None,
        assumptions: Vec::new(),
        id: TestId::from_usize(id),
        inputs: Default::default(),
        outcome: Outcome::Return,
        observations: Vec::new(),
        given: None,
        calls: BTreeMap::new(),
        beyond: None,
        unsure: false,
        freed: Default::default(),
        allocates_shared: false,
        outgrown: None,
        moved: Default::default(),
        path: None,
    }
}

/// Says a test in one expression.
pub trait Saying: Sized {
    fn with(self, cell: CellId, value: InputValue) -> Self;
    fn bits(self, cell: CellId, bits: u128) -> Self {
        self.with(cell, InputValue::Bits(bits))
    }
    fn extent(self, object: ObjectId, before: u64, after: u64) -> Self;
    fn ends(self, outcome: Outcome) -> Self;
    fn returns(self, unit: &Unit, ty: &str, value: Observed) -> Self;
    fn leaves(self, unit: &Unit, object: ObjectId, bit: i64, ty: &str, value: Observed) -> Self;
}

fn observation(unit: &Unit, place: ObservedPlace, ty: &str, value: Observed) -> Observation {
    let ty = unit.ty(ty);
    Observation {
        place,
        ty,
        width: (unit.program.types.size(ty) * 8) as u32,
        value,
    }
}

impl Saying for TestCase {
    fn with(mut self, cell: CellId, value: InputValue) -> Self {
        self.inputs.values.insert(cell, value);
        self
    }

    fn extent(mut self, object: ObjectId, before: u64, after: u64) -> Self {
        self.inputs.extents.insert(object, Extent { before, after });
        self
    }

    fn ends(mut self, outcome: Outcome) -> Self {
        self.outcome = outcome;
        self
    }

    fn returns(mut self, unit: &Unit, ty: &str, value: Observed) -> Self {
        let place = ObservedPlace::Result { offset_bits: 0 };
        self.observations.push(observation(unit, place, ty, value));
        self
    }

    fn leaves(
        mut self,
        unit: &Unit,
        object: ObjectId,
        bit: i64,
        ty: &str,
        value: Observed,
    ) -> Self {
        let place = ObservedPlace::Cell {
            object,
            offset_bits: bit,
        };
        self.observations.push(observation(unit, place, ty, value));
        self
    }
}

pub fn run(program: &Path, arguments: &[&str]) -> Output {
    Command::new(program)
        .args(arguments)
        .output()
        .expect("the program starts")
}

/// Compiles one file, warnings being errors.
pub fn compile(compiler: &str, source: &Path, flags: &[&str]) -> std::path::PathBuf {
    let program = source.with_extension(compiler);
    let output = Command::new(compiler)
        .args([
            "-std=gnu11",
            "-Wall",
            "-Werror",
            "-O1",
            "-fno-strict-aliasing",
        ])
        .args(flags)
        .arg(source)
        .arg("-o")
        .arg(&program)
        .output()
        .expect("the compiler starts");
    let message = String::from_utf8_lossy(&output.stderr);
    let text = std::fs::read_to_string(source).expect("the source is there");
    assert!(output.status.success(), "{compiler}: {message}\n{text}");
    program
}

/// Compiles a file of tests beside its unit with both compilers; all tests must pass.
pub fn all_pass(unit: &str, tests: &str) {
    let folder = tempfile::tempdir().expect("a scratch folder");
    let source = write(folder.path(), unit, tests);
    for compiler in ["gcc", "clang-19"] {
        let output = run(&compile(compiler, &source, &[]), &[]);
        let said = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success(), "{compiler}: {said}\n{tests}");
    }
}

pub fn write(folder: &Path, unit: &str, tests: &str) -> std::path::PathBuf {
    std::fs::write(folder.join("unit.c"), unit).expect("the unit is written");
    let source = folder.join("test_unit.c");
    std::fs::write(&source, tests).expect("the tests are written");
    source
}
