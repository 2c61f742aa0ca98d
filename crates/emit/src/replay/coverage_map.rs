//! From clang's counts of a function to the goals in it.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::Path;

use coverage::{GoalKind, TestGoal};
use ir::{Body, ConditionId, Formula, FunctionId, Position, Program, Span};

use super::paths::Files;
use crate::c::apart::unit_symbol;
use crate::record::is_of_system;

use super::profile::{CODE, EXPANSION, ExportedFunction, GAP, Region};

/// A point in a file, by the file's number.
type Point = (u32, u32, u32);

/// Where code stands for clang: the places of the macros around it, then its begin.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Site {
    macros: Vec<Point>,
    begin: Point,
}

impl Site {
    /// The site as it is, and without the outermost macros: a function that a macro makes is seen
    /// from inside of it.
    fn seen_from_inside(&self) -> impl Iterator<Item = Site> {
        (0..=self.macros.len()).map(|outer| Site {
            macros: self.macros[outer..].to_vec(),
            begin: self.begin,
        })
    }
}

/// How often each side of a branch was taken.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Sides {
    yes: u64,
    no: u64,
}

/// The counts of one function of the program.
#[derive(Clone, Debug, Default)]
struct Counts {
    /// By site, then by end (line, column); several leaves of one macro parameter share both.
    branches: HashMap<Site, BTreeMap<(u32, u32), Vec<Sides>>>,
    /// Code, by the macros around it and the file.
    code: HashMap<(Vec<Point>, u32), Vec<Region>>,
}

/// Whether a jump may leave a decision of a function. Clang then counts a side of that, and from
/// there on the code after it.
pub(super) fn may_be_left(program: &Program, function: FunctionId) -> bool {
    let body = program.functions[function].body.as_ref();
    body.is_some_and(|body| body.decisions.iter().any(|decision| decision.may_be_left))
}

/// Where a body uses macros that clang counts nothing in: those of system headers, and those of
/// `attest.h`, of which tests have a copy. A decision that is spelled partly in a macro and partly
/// in its arguments has no expansions of its own, so spans of all code are looked at.
pub(super) fn system_macros(program: &Program, body: &Body) -> HashSet<Position> {
    let is_foreign = |other: &Span| {
        let file = program.files.get(other.begin.file);
        file.is_some_and(|file| {
            is_of_system(&file.path)
                || Path::new(&file.path).file_name() == Some("attest.h".as_ref())
        })
    };
    let foreign = body.spans.iter().filter(|span| is_foreign(span));
    let used = foreign.filter_map(|span| Some(span.expansions.first()?.at));
    used.collect()
}

/// The counts of a function with those of its conditions picked out.
pub(super) struct FunctionCounts {
    counts: Counts,
    conditions: HashMap<ConditionId, Sides>,
    /// The conditions that share a site with labels of a switch.
    beside_labels: HashSet<ConditionId>,
}

impl FunctionCounts {
    pub(super) fn new(
        program: &Program,
        id: FunctionId,
        records: &[&ExportedFunction],
        files: &mut Files,
    ) -> Option<Self> {
        let body = program.functions[id].body.as_ref()?;
        let (first, others) = records.split_first()?;
        let mut counts = Counts::of(first, files);
        for record in others {
            counts.add(Counts::of(record, files));
        }
        let beside_labels = beside_labels(program, body, &counts, files);
        let conditions = condition_counts(program, body, &counts, &beside_labels, files);
        Some(FunctionCounts {
            counts,
            conditions,
            beside_labels,
        })
    }

    /// Whether clang counts a goal at one site with others, and does not say which count is whose:
    /// so it does where a `switch` stands in the argument of a macro.
    pub(super) fn shares_site(
        &self,
        goal: &TestGoal,
        program: &Program,
        files: &mut Files,
    ) -> bool {
        let body = program.functions[goal.function].body.as_ref();
        let is_beside = |condition: &ConditionId| self.beside_labels.contains(condition);
        match goal.kind {
            GoalKind::Switch(..) => {
                let sides = self.counts.branches(&goal.span, program, files);
                sides.is_some_and(|sides| sides.len() > 1)
            }
            GoalKind::Condition(condition, _) => is_beside(&condition),
            GoalKind::Decision(decision, _) => {
                let conditions = body
                    .iter()
                    .flat_map(|body| body.conditions.iter_enumerated());
                let mut of_decision = conditions.filter(|(_, data)| data.decision == decision);
                of_decision.any(|(condition, _)| is_beside(&condition))
            }
            GoalKind::Statement(_)
            | GoalKind::Call(_)
            | GoalKind::Independence(..)
            | GoalKind::AllCombinations(_) => false,
            // Unless their tests tell more.
            GoalKind::Combination(..)
            | GoalKind::Boundary(..)
            | GoalKind::Mutant(_)
            | GoalKind::Use(_)
            | GoalKind::Label(_) => true,
        }
    }

    pub(super) fn goal(
        &self,
        goal: &TestGoal,
        program: &Program,
        files: &mut Files,
    ) -> Option<bool> {
        let body = program.functions[goal.function].body.as_ref()?;
        let side = |sides: Sides, value| if value { sides.yes > 0 } else { sides.no > 0 };
        match goal.kind {
            GoalKind::Decision(decision, outcome) => {
                let data = &body.decisions[decision];
                let mut times = || self.counts.times(&data.span, program, files);
                let sides = self.formula(&data.formula, &mut times)?;
                Some(side(sides, outcome))
            }
            GoalKind::Condition(condition, value) => {
                Some(side(*self.conditions.get(&condition)?, value))
            }
            GoalKind::Switch(..) => {
                // Labels in a macro's argument share a site, and clang does not say which is whose.
                match self.counts.branches(&goal.span, program, files)?[..] {
                    [sides] => Some(sides.yes > 0),
                    _ => None,
                }
            }
            GoalKind::Statement(_) | GoalKind::Call(_) => {
                let times = self.counts.times(&goal.span, program, files)?;
                Some(times > 0)
            }
            GoalKind::Combination(decision, combination) => {
                match body.decisions[decision].formula.conditions()[..] {
                    [only] => Some(side(*self.conditions.get(&only)?, combination.value(0)?)),
                    // Counts do not say which values conditions had in the same evaluation.
                    _ => None,
                }
            }
            GoalKind::Boundary(..)
            | GoalKind::Mutant(_)
            | GoalKind::Use(_)
            | GoalKind::Label(_)
            | GoalKind::Independence(..)
            | GoalKind::AllCombinations(_) => None,
        }
    }

    /// How often a formula that was evaluated so many `times` was true and false, from its leaves.
    fn formula(&self, formula: &Formula, times: &mut dyn FnMut() -> Option<u64>) -> Option<Sides> {
        Some(match formula {
            Formula::Condition(condition) => *self.conditions.get(condition)?,
            Formula::Constant(true) => Sides {
                yes: times()?,
                no: 0,
            },
            Formula::Constant(false) => Sides {
                yes: 0,
                no: times()?,
            },
            Formula::Not(inner) => {
                let inner = self.formula(inner, times)?;
                Sides {
                    yes: inner.no,
                    no: inner.yes,
                }
            }
            Formula::And(left, right) => {
                let first = self.formula(left, times)?;
                let second = self.formula(right, &mut || Some(first.yes))?;
                Sides {
                    yes: second.yes,
                    no: first.no + second.no,
                }
            }
            Formula::Or(left, right) => {
                let first = self.formula(left, times)?;
                let second = self.formula(right, &mut || Some(first.no))?;
                Sides {
                    yes: first.yes + second.yes,
                    no: second.no,
                }
            }
        })
    }
}

/// The conditions that share a site with labels of a switch. Clang counts a switch's labels after
/// all that the switch contains, so its order does not say which counts are those of conditions.
fn beside_labels(
    program: &Program,
    body: &Body,
    counts: &Counts,
    files: &mut Files,
) -> HashSet<ConditionId> {
    let mut counted = |span: &Span| Some(counts.branches(span, program, files)?.as_ptr());
    let labels = body.decisions.iter().flat_map(|decision| &decision.sides);
    let of_labels: HashSet<*const Sides> =
        labels.filter_map(|label| counted(&label.span)).collect();
    let conditions = body.conditions.iter_enumerated();
    let shared = conditions
        .filter(|(_, data)| counted(&data.span).is_some_and(|sides| of_labels.contains(&sides)));
    shared.map(|(condition, _)| condition).collect()
}

/// The counts of all conditions but those beside labels. Those that share a site are told apart by
/// clang's order, in which the body has them.
fn condition_counts(
    program: &Program,
    body: &Body,
    counts: &Counts,
    beside_labels: &HashSet<ConditionId>,
    files: &mut Files,
) -> HashMap<ConditionId, Sides> {
    let mut met: HashMap<*const Sides, usize> = HashMap::new();
    let mut found = HashMap::new();
    let conditions = body.conditions.iter_enumerated();
    for (condition, data) in conditions.filter(|(id, _)| !beside_labels.contains(id)) {
        let Some(sides) = counts.branches(&data.span, program, files) else {
            continue;
        };
        // Clang does not say of each where the macros around it are expanded.
        let nth = met.entry(sides.as_ptr()).or_default();
        if let Some(&sides) = sides.get(*nth) {
            found.insert(condition, sides);
        }
        *nth += 1;
    }
    found
}

impl Counts {
    fn of(record: &ExportedFunction, files: &mut Files) -> Self {
        let numbers: Vec<u32> = record
            .filenames
            .iter()
            .map(|name| files.number(name))
            .collect();
        let macros = expansion_chains(record, &numbers);
        let mut counts = Counts::default();
        for branch in &record.branches {
            let (Some(chain), Some(&file)) = (macros.get(branch.6), numbers.get(branch.6)) else {
                continue;
            };
            let site = Site {
                macros: chain.clone(),
                begin: (file, branch.0, branch.1),
            };
            let sides = Sides {
                yes: branch.4,
                no: branch.5,
            };
            counts
                .branches
                .entry(site)
                .or_default()
                .entry((branch.2, branch.3))
                .or_default()
                .push(sides);
        }
        // Code that begins with a macro has no region of its own there but the expansion.
        let is_code = |region: &&Region| matches!(region.7, CODE | EXPANSION | GAP);
        for region in record.regions.iter().filter(is_code) {
            if let (Some(chain), Some(&file)) = (macros.get(region.5), numbers.get(region.5)) {
                counts
                    .code
                    .entry((chain.clone(), file))
                    .or_default()
                    .push(*region);
            }
        }
        counts
    }

    fn add(&mut self, other: Counts) {
        let all = other.branches.into_iter();
        let all = all.flat_map(|(site, ends)| {
            let with_site = move |(end, sides)| (site.clone(), end, sides);
            ends.into_iter().map(with_site)
        });
        for (site, end, sides) in all {
            let sum = self.branches.entry(site).or_default();
            let sum = sum.entry(end).or_default();
            sum.resize(sum.len().max(sides.len()), Sides::default());
            for (to, from) in sum.iter_mut().zip(sides) {
                to.yes += from.yes;
                to.no += from.no;
            }
        }
        let place = |region: &Region| (region.0, region.1, region.2, region.3);
        for (key, regions) in other.code {
            let known = self.code.entry(key).or_default();
            match known.iter().map(place).eq(regions.iter().map(place)) {
                true => known
                    .iter_mut()
                    .zip(regions)
                    .for_each(|(to, from)| to.4 += from.4),
                false => known.extend(regions),
            }
        }
    }

    /// The branches at a span.
    fn branches(&self, span: &Span, program: &Program, files: &mut Files) -> Option<&Vec<Sides>> {
        let site = site(span, program, files)?;
        let mut seen = site.seen_from_inside();
        let same_begin = seen.find_map(|site| self.branches.get(&site))?;
        let exact = same_begin.get(&(span.end.line, span.end.column));
        exact.or_else(|| match same_begin.len() {
            1 => same_begin.values().next(),
            _ => None,
        })
    }

    /// How often the innermost code around a span's begin ran.
    fn times(&self, span: &Span, program: &Program, files: &mut Files) -> Option<u64> {
        let site = site(span, program, files)?;
        site.seen_from_inside().find_map(|site| self.times_at(site))
    }

    fn times_at(&self, mut site: Site) -> Option<u64> {
        loop {
            let (file, line, column) = site.begin;
            let regions = self.code.get(&(site.macros.clone(), file));
            let around = regions.into_iter().flatten().filter(|region| {
                (region.0, region.1) <= (line, column) && (line, column) < (region.2, region.3)
            });
            let innermost = around
                .map(|region| (region.0, region.1, std::cmp::Reverse((region.2, region.3))))
                .max();
            if let Some((line, column, std::cmp::Reverse(end))) = innermost {
                let same = regions.into_iter().flatten().filter(|region| {
                    (region.0, region.1, (region.2, region.3)) == (line, column, end)
                });
                return one_count(same.map(|region| region.4));
            }
            site.begin = site.macros.pop()?;
        }
    }
}

/// How often code ran that has several regions at one place, as a macro's argument of several
/// statements has: unknown, if only some of them ran.
fn one_count(counts: impl Iterator<Item = u64>) -> Option<u64> {
    let counts: Vec<u64> = counts.collect();
    let most = counts.iter().copied().max()?;
    (most == 0 || counts.iter().all(|&count| count > 0)).then_some(most)
}

/// For each file number of a function, the places of the macros that it is inside of, outermost
/// first. A file that is included within the function is none of them, though clang counts it as
/// one: it alone has code where a file begins, since a macro follows its name.
fn expansion_chains(record: &ExportedFunction, numbers: &[u32]) -> Vec<Vec<Point>> {
    let regions = record.regions.iter();
    let included = regions.filter(|region| (region.0, region.1) == (1, 1));
    let included: HashSet<usize> = included.map(|region| region.5).collect();
    let mut parents: HashMap<usize, (usize, Point)> = HashMap::new();
    for region in record.regions.iter().filter(|region| region.7 == EXPANSION) {
        if let Some(&file) = numbers.get(region.5) {
            parents.insert(region.6, (region.5, (file, region.0, region.1)));
        }
    }
    (0..numbers.len())
        .map(|start| {
            let mut chain = Vec::new();
            let mut file = start;
            // A chain longer than there are files would be a cycle.
            for _ in 0..numbers.len() {
                let Some(&(parent, at)) = parents.get(&file) else {
                    break;
                };
                if !included.contains(&file) {
                    chain.push(at);
                }
                file = parent;
            }
            chain.reverse();
            chain
        })
        .collect()
}

fn site(span: &Span, program: &Program, files: &mut Files) -> Option<Site> {
    let mut point = |position: &Position| {
        let file = &program.files.get(position.file)?.path;
        Some((files.number(file), position.line, position.column))
    };
    let begin = point(&span.begin)?;
    let macros = span
        .expansions
        .iter()
        .map(|expansion| point(&expansion.at))
        .collect::<Option<Vec<Point>>>()?;
    Some(Site { macros, begin })
}

pub(super) fn has_name(record: &ExportedFunction, name: &str) -> bool {
    let plain = record.name.rsplit(':').next().unwrap_or(&record.name);
    plain == name || plain == unit_symbol(name)
}
