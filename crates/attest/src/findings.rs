//! The defects of a suite as a user wants them told: certain ones, those that rest on assumptions,
//! grouped by these, and those that a baseline knows.

use std::collections::{BTreeMap, BTreeSet};

use coverage::{FoundDefect, Suggestion, Suite};
use ir::{Assumption, AssumptionKind, DefectKind, Program};

use crate::baseline::Baseline;
use crate::cli::defects::{DefectArguments, FailOn, ToldDefects};
use crate::sources::{SourceRange, Sources};

/// The defects of a suite that are told.
#[derive(Clone, Debug, Default)]
pub struct Findings {
    /// Those that rest on no assumption.
    pub certain: Vec<FoundDefect>,
    /// The others.
    pub assumed: Vec<FoundDefect>,
    /// How many the baseline knows.
    pub known: usize,
    /// Whether they fail the run.
    pub fails: bool,
}

impl Findings {
    /// The defects of a suite that the arguments ask for.
    pub fn new(
        program: &Program,
        suite: &Suite,
        arguments: &DefectArguments,
        baseline: &mut Baseline,
        sources: &mut Sources,
    ) -> Self {
        let mut findings = Findings::default();
        let asked_for = |found: &FoundDefect| match arguments.defects {
            ToldDefects::Certain => found.defect.is_certain(),
            ToldDefects::All => true,
            ToldDefects::None => false,
        };
        for found in &suite.defects {
            let is_known = baseline.note(program, &found.defect, sources);
            if !asked_for(found) {
                continue;
            }
            let list = match found.defect.is_certain() {
                _ if is_known => {
                    findings.known += 1;
                    continue;
                }
                true => &mut findings.certain,
                false => &mut findings.assumed,
            };
            list.push(found.clone());
        }
        let fails_assumed = arguments.fail_on == FailOn::Assumed && !findings.assumed.is_empty();
        findings.fails = !findings.certain.is_empty() || fails_assumed;
        findings
    }

    /// The same without certain defects that were told at their places already, which are noted.
    pub fn untold(&self, program: &Program, told: &mut BTreeSet<ToldPlace>) -> Self {
        let mut is_new = |found: &&FoundDefect| match found.defect.stack.first() {
            Some(frame) => {
                let range = SourceRange::of(program, &frame.span);
                told.insert((found.defect.kind, range.path, range.begin))
            }
            None => true,
        };
        let mut untold = self.clone();
        untold.certain = self
            .certain
            .iter()
            .filter(|it| is_new(it))
            .cloned()
            .collect();
        untold
    }

    /// The assumed defects by their causes.
    pub fn causes(&self) -> Vec<Cause<'_>> {
        causes(&self.assumed)
    }
}

/// Where a defect was told: its kind, the file, and line and column.
pub type ToldPlace = (DefectKind, String, (u32, u32));

/// Defects that one assumption explains.
#[derive(Clone, Debug)]
pub struct Cause<'a> {
    /// The assumption.
    pub assumption: &'a Assumption,
    /// The defects that rest on it, the first found first.
    pub defects: Vec<&'a FoundDefect>,
}

/// Groups defects by assumptions without which they would not be reported: as few groups as are
/// found by taking the largest one first.
fn causes(defects: &[FoundDefect]) -> Vec<Cause<'_>> {
    let mut left: Vec<&FoundDefect> = defects.iter().collect();
    let mut causes = Vec::new();
    loop {
        let mut counts: BTreeMap<(AssumptionKind, &str), usize> = BTreeMap::new();
        let assumptions = left.iter().flat_map(|found| &found.defect.assumptions);
        for assumption in assumptions {
            *counts
                .entry((assumption.kind, &assumption.subject))
                .or_default() += 1;
        }
        let largest = counts.values().max().copied();
        let Some((&key, _)) = counts.iter().find(|(_, count)| Some(**count) == largest) else {
            return causes;
        };
        let of_key = |found: &&'_ FoundDefect| assumption_of(found, key).is_some();
        let (explained, others): (Vec<&FoundDefect>, Vec<&FoundDefect>) =
            left.into_iter().partition(of_key);
        left = others;
        if let Some(assumption) = explained
            .first()
            .and_then(|found| assumption_of(found, key))
        {
            causes.push(Cause {
                assumption,
                defects: explained,
            });
        }
    }
}

fn assumption_of<'a>(
    found: &'a FoundDefect,
    (kind, subject): (AssumptionKind, &str),
) -> Option<&'a Assumption> {
    let mut assumptions = found.defect.assumptions.iter();
    assumptions.find(|it| it.kind == kind && it.subject == subject)
}

impl Cause<'_> {
    /// How a user rules the assumption out. `parameters` are the names of those of the function.
    pub fn way_out(&self, parameters: &[&str]) -> String {
        let subject = &self.assumption.subject;
        match self.assumption.kind {
            AssumptionKind::Null if parameters.contains(&subject.as_str()) => {
                format!("declare {subject} nonnull, or --nonnull {subject}")
            }
            AssumptionKind::Extent | AssumptionKind::Length => {
                "declare the length, as in `char buffer[static 64]`, or --precondition".to_owned()
            }
            AssumptionKind::Alias => "--assume-disjoint".to_owned(),
            AssumptionKind::Allocation => "--no-allocation-failures".to_owned(),
            AssumptionKind::UnknownResult => format!("give the file that defines {subject}"),
            AssumptionKind::State | AssumptionKind::Caller | AssumptionKind::Null => {
                "--precondition, or --sequence with the calls that make the object".to_owned()
            }
            AssumptionKind::NotHeap
            | AssumptionKind::Apart
            | AssumptionKind::Number
            | AssumptionKind::Size
            | AssumptionKind::Enumerator => "--precondition".to_owned(),
        }
    }

    /// The option that was found for the assumption, if there is one.
    pub fn suggestion<'s>(&self, suite: &'s Suite) -> Option<&'s Suggestion> {
        let subject = &self.assumption.subject;
        let mut suggestions = suite.suggestions.iter();
        suggestions.find(|suggestion| suggestion.subjects.contains(subject))
    }

    /// The kinds of the defects with their counts.
    pub fn kinds(&self) -> String {
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        for found in &self.defects {
            *counts.entry(found.defect.kind.name()).or_default() += 1;
        }
        let counts = counts.iter().map(|(kind, count)| match count {
            1 => (*kind).to_owned(),
            _ => format!("{count} {kind}"),
        });
        counts.collect::<Vec<String>>().join(", ")
    }
}

#[cfg(test)]
mod tests {
    use coverage::FoundDefect;
    use ir::test::Defect;
    use ir::{Assumption, DefectKind, TestId};

    use super::causes;

    fn found(pointers: &[&str]) -> FoundDefect {
        FoundDefect {
            defect: Defect {
                kind: DefectKind::NullDereference,
                message: String::new(),
                stack: Vec::new(),
                assumptions: pointers
                    .iter()
                    .map(|name| Assumption::null(*name))
                    .collect(),
            },
            test: TestId::from_raw(0),
            confirmed: None,
        }
    }

    #[test]
    fn defects_are_grouped_by_the_assumption_that_explains_most() {
        let defects = [
            found(&["p", "q"]),
            found(&["q"]),
            found(&["r"]),
            found(&["p"]),
        ];
        let defects = [&defects[..], &[found(&["q", "r"])]].concat();
        let causes = causes(&defects);
        let groups = causes.iter();
        let groups: Vec<(&str, usize)> = groups
            .map(|cause| (cause.assumption.subject.as_str(), cause.defects.len()))
            .collect();
        assert_eq!(groups, [("q", 3), ("p", 1), ("r", 1)]);
    }
}
