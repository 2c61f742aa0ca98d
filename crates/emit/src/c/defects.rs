//! The C file of the tests that show defects, and what shows each kind natively.

use std::fmt::Write as _;

use ir::DefectKind;
use ir::test::{Outcome, TestCase};

use super::file::TestFile;

/// The sign of a kind of defect in a program built with sanitizers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NativeReport {
    /// Whether only MemorySanitizer notices, which needs a build of its own.
    pub memory_sanitizer: bool,
    /// Signals that show it.
    pub signals: &'static [i32],
    /// How long the test may run, in seconds.
    pub seconds: u32,
    /// Texts on standard error, any of which shows it; with no signals and no text, nothing does.
    pub texts: &'static [&'static str],
}

const SIGILL: i32 = 4;
const SIGTRAP: i32 = 5;
const SIGABRT: i32 = 6;
const SIGALRM: i32 = 14;
const SEGV: &str = "AddressSanitizer: SEGV";

/// The sign of a kind of defect under AddressSanitizer and UndefinedBehaviorSanitizer, by the words
/// that both clang's and gcc's run-time libraries use.
pub fn native_report(kind: DefectKind) -> NativeReport {
    let texts: &'static [&'static str] = match kind {
        DefectKind::OutOfBounds => &[
            "buffer-overflow",
            "buffer-underflow",
            "out of bounds for type",
            "insufficient space for an object",
            "use-after-poison",
            "negative-size-param",
            SEGV,
        ],
        // An address a few bytes after NULL may be misaligned first.
        DefectKind::NullDereference => &["null pointer", "misaligned address", SEGV],
        DefectKind::WildPointer => &["AddressSanitizer:", "misaligned address"],
        DefectKind::UseAfterFree => &["heap-use-after-free"],
        DefectKind::UseAfterReturn => &["stack-use-after-return", "stack-use-after-scope"],
        DefectKind::DoubleFree => &["attempting double-free"],
        DefectKind::InvalidFree => &["attempting free on address", "alloc-dealloc-mismatch", SEGV],
        DefectKind::Leak => &["detected memory leaks"],
        DefectKind::UninitialisedRead => &["use-of-uninitialized-value"],
        DefectKind::SignedOverflow => &["signed integer overflow", "cannot be represented in type"],
        DefectKind::BadShift => &["shift exponent", "left shift of"],
        DefectKind::DivisionByZero => &["division by zero", "AddressSanitizer: FPE"],
        DefectKind::FailedAssertion => &["Assertion", "AddressSanitizer: ABRT"],
        DefectKind::Abort => &[
            "AddressSanitizer: ABRT",
            "AddressSanitizer: ILL",
            "AddressSanitizer: TRAP",
        ],
        DefectKind::BadFunctionPointer => {
            &["incorrect function type", "null function pointer", SEGV]
        }
        DefectKind::Misaligned => &["misaligned address"],
        DefectKind::WriteToConstant => &[SEGV],
        DefectKind::Unreachable => &["unreachable program point", "unreachable call"],
        DefectKind::InvalidArgument => &[
            "null pointer passed",
            "negative-size-param",
            "invalid value",
            "passing zero to",
        ],
        DefectKind::Overlapping => &["param-overlap"],
        DefectKind::BadLength => &["evaluates to non-positive value"],
        DefectKind::TrapRepresentation => &["which is not a valid value for type"],
        DefectKind::NonTermination | DefectKind::LongjmpMisuse | DefectKind::UnrelatedPointers => {
            &[]
        }
    };
    NativeReport {
        memory_sanitizer: kind == DefectKind::UninitialisedRead,
        signals: match kind {
            DefectKind::FailedAssertion => &[SIGABRT],
            DefectKind::Abort => &[SIGABRT, SIGILL, SIGTRAP],
            DefectKind::NonTermination => &[SIGALRM],
            _ => &[],
        },
        seconds: if kind == DefectKind::NonTermination {
            2
        } else {
            10
        },
        texts,
    }
}

/// The kind of defect that a test shows.
pub fn defect_kind(test: &TestCase) -> Option<DefectKind> {
    match &test.outcome {
        Outcome::Defect(defect) => Some(defect.kind),
        _ => None,
    }
}

impl TestFile<'_> {
    /// The text of a file of tests that show defects; tests with other outcomes are left out.
    pub fn defects_text(&self) -> String {
        Self::defects_text_of_all(&[self])
    }

    /// The text of one file for the tests of several functions of a unit that show defects. All have
    /// numbers of their own.
    pub fn defects_text_of_all(files: &[&TestFile<'_>]) -> String {
        let mut files: Vec<TestFile<'_>> = files.iter().map(|&file| file.clone()).collect();
        for file in &mut files {
            file.tests.retain(|test| defect_kind(test).is_some());
        }
        let tests = files.iter().flat_map(|file| &file.tests);
        let mut kinds: Vec<DefectKind> = tests.filter_map(|test| defect_kind(test)).collect();
        kinds.sort_unstable();
        kinds.dedup();
        let runner = include_str!("../templates/defects.c").replace("@REPORTS@", &reports(&kinds));
        let files: Vec<&TestFile<'_>> = files.iter().collect();
        Self::assemble(&files, "defects", &runner, |file, test| {
            let kind = defect_kind(test);
            let row = kinds.iter().position(|&known| Some(known) == kind);
            let shown = match file.unshown.contains(&test.id) {
                true => 0,
                false if may_miss(test) => 2,
                false => 1,
            };
            format!("{}, {shown}", row.unwrap_or(0))
        })
    }
}

/// Whether gcc's sanitizers may miss a defect that clang's show: an overflow in an index, which gcc
/// computes as an address; a pointer that is computed and not used; an overlapping copy of a few
/// bytes, which gcc expands inline.
fn may_miss(test: &TestCase) -> bool {
    match &test.outcome {
        Outcome::Defect(defect) => match defect.kind {
            DefectKind::SignedOverflow | DefectKind::Overlapping => true,
            DefectKind::OutOfBounds => defect.message.ends_with(" is made"),
            _ => false,
        },
        _ => false,
    }
}

fn reports(kinds: &[DefectKind]) -> String {
    let mut text = String::new();
    for &kind in kinds {
        let report = native_report(kind);
        let mut texts: Vec<String> = report
            .texts
            .iter()
            .map(|text| format!("\"{text}\""))
            .collect();
        if texts.is_empty() {
            texts.push("NULL".to_owned());
        }
        let mut signals: Vec<String> = report.signals.iter().map(i32::to_string).collect();
        signals.push("0".to_owned());
        let _ = writeln!(
            text,
            "    {{\"{kind}\", {}, {{{}}}, {}, {{{}}}}},",
            u8::from(report.memory_sanitizer),
            signals.join(", "),
            report.seconds,
            texts.join(", ")
        );
    }
    text.truncate(text.trim_end().len());
    text
}
