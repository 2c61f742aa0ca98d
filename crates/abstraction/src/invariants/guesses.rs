//! Guesses of what holds at each cut: candidates that hold in all sampled states.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use expr::{BvOp, CmpOp, Model as Values, Node, Term, Terms, Var};
use index_vec::IndexVec;

use crate::formulas::constants::Constants;
use crate::formulas::execution::Sample;
use crate::formulas::nodes::{nodes, nodes_with_terms, variable};
use crate::formulas::segment::{Exit, Segment};
use crate::formulas::{Formulas, Invariants};
use crate::graph::cuts::CutId;
use crate::implications::Kind;
use crate::implications::literals::{Treatment, literals};
use crate::invariants::atoms::{atoms, many_atoms};
use crate::invariants::candidates::{Known, OfNode, Variable, candidates, constants, values};
use crate::invariants::compared::{Compared, compared};
use crate::invariants::in_phases::in_phase;
use crate::invariants::pairs::Pair;
use crate::invariants::samples::Samples;
use crate::objects::location::AtIndex;
use crate::objects::locations::LocationId;
use crate::objects::places::Object;

/// The candidates at each cut, those that solvers find easy first.
pub(crate) type Guesses = [Invariants; 4];

/// Makes guesses.
pub(crate) struct Guesser {
    constants: Constants,
    /// The variables that predicates at each cut are about: those that are read behind it, and those
    /// that are known to be related to them.
    read: IndexVec<CutId, BTreeSet<Var>>,
    /// Those that candidates are about, in the same way: those whose values decide something.
    deciding: IndexVec<CutId, BTreeSet<Var>>,
    /// What the program compares.
    compared: Vec<Compared>,
    samples: Samples,
    /// Locations that some segment extends to the width of others.
    extended: Vec<Term>,
    /// Locations that elements are read at.
    indices: BTreeSet<Var>,
    /// The cuts at which guesses were made from states.
    guessed: BTreeSet<CutId>,
    /// Those of them at which only locations were told that seem to be constant.
    half_guessed: Vec<CutId>,
}

impl Guesser {
    /// Draws states.
    pub fn new(formulas: &mut Formulas<'_>) -> Guesser {
        let segments = Arc::clone(&formulas.segments);
        let terms: Vec<Term> = segments.iter().flat_map(Segment::terms).collect();
        let constants = Constants::of(&formulas.arena.terms, terms);
        let conditions = segments.iter().flat_map(|it| it.conditions.iter().copied());
        let compared = compared(&formulas.arena.terms, conditions.collect());
        Guesser {
            read: read_from(&formulas.arena.terms, &segments),
            deciding: deciding(formulas),
            compared,
            extended: extended(formulas, &segments),
            indices: indices(formulas, &segments),
            samples: Samples::draw(formulas, &constants),
            constants,
            guessed: BTreeSet::from([formulas.model.cuts.start()]),
            half_guessed: Vec::new(),
        }
    }

    /// The constants in the formulas.
    pub fn constants(&self) -> &Constants {
        &self.constants
    }

    /// The first guesses: locations that have one value in all states. A cut that no sampled execution
    /// came to may be unreachable.
    pub fn first(&mut self, formulas: &mut Formulas<'_>) -> Invariants {
        let mut found = self.constants_at_new_states(formulas);
        self.doubt_others(formulas, &mut found);
        found
    }

    /// Takes cuts without states to be unreachable.
    fn doubt_others(&self, formulas: &mut Formulas<'_>, found: &mut Invariants) {
        let unreachable = formulas.arena.terms.bool(false);
        for (cut, candidates) in found.iter_mut_enumerated() {
            if !self.guessed.contains(&cut) {
                candidates.push(unreachable);
            }
        }
    }

    /// Guesses at cuts that no sampled execution came to, though the invariants do not exclude them.
    pub fn more(
        &mut self,
        formulas: &mut Formulas<'_>,
        invariants: &Invariants,
    ) -> Option<Invariants> {
        let constants = &self.constants;
        let has_more = self.samples.add_by_models(formulas, constants, invariants);
        has_more.then(|| self.constants_at_new_states(formulas))
    }

    /// Further guesses at the cuts at which locations were told that seem to be constant. Those that
    /// are known to be take no part in them.
    pub fn further(&mut self, formulas: &mut Formulas<'_>, known: &Invariants) -> Guesses {
        let segments = Arc::clone(&formulas.segments);
        let mut found: Invariants = segments.iter().map(|_| Vec::new()).collect();
        for cut in std::mem::take(&mut self.half_guessed) {
            let make = |terms: &mut Terms, at: &Known<'_>| {
                let mut variables = at.variables.to_vec();
                variables.retain(|it| !is_constant(terms, *it, &known[cut]));
                let variables = &variables;
                candidates(terms, &Known { variables, ..*at })
            };
            found[cut] =
                self.with_known(formulas, (cut, &self.deciding[cut]), &segments[cut], make);
        }
        self.doubt_others(formulas, &mut found);
        split(formulas, &found)
    }

    /// Whether predicates at any loop could be about something.
    pub fn has_variables(&self, formulas: &Formulas<'_>) -> bool {
        let start = formulas.model.cuts.start();
        let mut loops = formulas.model.cuts.iter().filter(|&cut| cut != start);
        loops.any(|cut| {
            let mut live = live(formulas, cut).into_iter();
            live.any(|variable| self.read[cut].contains(&variable.var))
        })
    }

    /// The sampled states at a cut.
    pub fn states(&self, cut: CutId) -> &[Sample] {
        &self.samples.at[cut]
    }

    /// The integers that have values at a cut, those first that are read behind it, the remainders of
    /// these that its segment computes, and those that code extends to a larger width.
    pub fn integers(&self, formulas: &Formulas<'_>, cut: CutId) -> Vec<Term> {
        let mut variables = live(formulas, cut);
        variables.retain(|variable| !variable.is_element && variable.node.is_none());
        variables.sort_by_key(|variable| !self.read[cut].contains(&variable.var));
        let variables: Vec<Term> = variables.into_iter().map(|it| it.term).collect();
        let terms = &formulas.arena.terms;
        let remainders = remainders(terms, &formulas.segments[cut], &variables);
        let extended = self.extended.iter().copied();
        let extended = extended.filter(|&it| operand_is_one_of(terms, it, &variables));
        let extended: Vec<Term> = extended.collect();
        variables
            .into_iter()
            .chain(remainders)
            .chain(extended)
            .collect()
    }

    /// The values that a location has in the sampled states at a cut, each once.
    pub fn values(&self, terms: &Terms, cut: CutId, location: Term) -> Vec<u128> {
        let location = Variable::of(terms, location);
        location.map_or_else(Vec::new, |it| values(&self.samples.at[cut], it))
    }

    /// Makes candidates of what is related to variables that are read, too.
    pub fn relate(&mut self, terms: &Terms, relations: &Invariants) {
        for (cut, relations) in relations.iter_enumerated() {
            let related = relations.iter().map(|&it| terms.variables(it));
            let related: Vec<Vec<Var>> = related.map(|it| it.iter().collect()).collect();
            for read in [&mut self.read[cut], &mut self.deciding[cut]] {
                let before = read.clone();
                let is_read = |related: &&Vec<Var>| related.iter().any(|it| before.contains(it));
                read.extend(related.iter().filter(is_read).flatten());
            }
        }
    }

    /// What seems to be constant at the cuts with states where there were none before.
    fn constants_at_new_states(&mut self, formulas: &mut Formulas<'_>) -> Invariants {
        let segments = Arc::clone(&formulas.segments);
        let mut found: Invariants = segments.iter().map(|_| Vec::new()).collect();
        for cut in segments.indices() {
            if !self.samples.at[cut].is_empty() && self.guessed.insert(cut) {
                let place = (cut, &self.deciding[cut]);
                found[cut] = self.with_known(formulas, place, &segments[cut], constants);
                self.half_guessed.push(cut);
            }
        }
        found
    }

    /// Guesses of what holds in each of some phases. `is_split` says at which cuts there are any.
    pub fn in_phases(
        &self,
        formulas: &mut Formulas<'_>,
        phases: &[Term],
        is_split: impl Fn(CutId) -> bool,
    ) -> Invariants {
        let segments = Arc::clone(&formulas.segments);
        let make = |terms: &mut Terms, at: &Known<'_>| {
            let of_phase = phases.iter().map(|&phase| in_phase(terms, at, phase));
            of_phase.flatten().collect()
        };
        let all = segments.iter_enumerated();
        let all = all.map(|(cut, segment)| match is_split(cut) {
            true => self.with_known(formulas, (cut, &self.read[cut]), segment, make),
            false => Vec::new(),
        });
        all.collect()
    }

    /// The predicates at each cut.
    pub fn atoms(&self, formulas: &mut Formulas<'_>) -> Invariants {
        self.at_all_cuts(formulas, atoms)
    }

    /// More of them, for what tries many at once.
    pub fn many_atoms(&self, formulas: &mut Formulas<'_>) -> Invariants {
        self.at_all_cuts(formulas, many_atoms)
    }

    fn at_all_cuts(
        &self,
        formulas: &mut Formulas<'_>,
        make: fn(&mut Terms, &Known<'_>) -> Vec<Term>,
    ) -> Invariants {
        let segments = Arc::clone(&formulas.segments);
        let all = segments.iter_enumerated();
        all.map(|(cut, segment)| self.with_known(formulas, (cut, &self.read[cut]), segment, make))
            .collect()
    }

    /// Predicates of each cut between which implications are looked for. Some states at each are
    /// known.
    pub fn literals(
        &self,
        formulas: &mut Formulas<'_>,
        states: &IndexVec<CutId, Vec<Values>>,
        kind: Kind,
    ) -> Invariants {
        let segments = Arc::clone(&formulas.segments);
        let all = segments.iter().flat_map(Segment::terms);
        let treatment = Treatment::of(&formulas.arena.terms, all.collect());
        let all = segments.iter_enumerated();
        let all = all.map(|(cut, segment)| {
            let samples = states[cut].iter().map(|state| state.iter().collect());
            let samples: Vec<Sample> = samples.collect();
            let make = |terms: &mut Terms, at: &Known<'_>| {
                let samples = &samples;
                literals(terms, &Known { samples, ..*at }, &treatment, kind)
            };
            self.with_known(formulas, (cut, &self.read[cut]), segment, make)
        });
        all.collect()
    }

    /// Calls a function with what is known of a cut and of the variables that are read there.
    fn with_known(
        &self,
        formulas: &mut Formulas<'_>,
        (cut, read): (CutId, &BTreeSet<Var>),
        segment: &Segment,
        make: impl FnOnce(&mut Terms, &Known<'_>) -> Vec<Term>,
    ) -> Vec<Term> {
        let mut variables = live(formulas, cut);
        variables.retain(|variable| read.contains(&variable.var));
        let Formulas { model, arena, .. } = formulas;
        let index = model.locations.index();
        let vars: BTreeSet<Var> = variables.iter().map(|variable| variable.var).collect();
        let mut conditions = segment.conditions.clone();
        conditions.retain(|&it| {
            let mut read = arena.terms.variables(it).iter();
            read.all(|var| vars.contains(&var))
        });
        let variable_of = |at: LocationId| Variable::of(&arena.terms, model.at_start[at]);
        let index = index.and_then(variable_of);
        let second = model.locations.index_at(AtIndex::Second);
        let second = second.and_then(variable_of);
        let pair = |(first, second): (LocationId, LocationId)| {
            let first = variable_of(first)?;
            let first = *variables.iter().find(|it| it.var == first.var)?;
            let second = Variable {
                is_element: true,
                ..variable_of(second)?
            };
            Some(Pair { first, second })
        };
        let pairs: Vec<Pair> = model.locations.pairs().filter_map(pair).collect();
        let mut compared = self.compared.clone();
        compared.retain(|&(_, a, b)| {
            let read = arena.terms.all_variables(&[a, b]);
            read.iter().all(|var| vars.contains(var))
        });
        let known = Known {
            variables: &variables,
            index,
            second,
            pairs: &pairs,
            indices: &self.indices,
            conditions: &conditions,
            compared: &compared,
            constants: &self.constants,
            samples: &self.samples.at[cut],
        };
        make(&mut arena.terms, &known)
    }
}

/// The locations that have values at a cut, without the indices at which elements are known, and
/// without elements at the second one.
fn live(formulas: &Formulas<'_>, cut: CutId) -> Vec<Variable> {
    let Formulas { model, arena, .. } = formulas;
    let point = model.cuts.point(cut);
    let types = &model.program().types;
    let live = model.locations.iter().filter(|&(location, data)| {
        let is_first = data.object != Object::Index && data.at == AtIndex::First;
        is_first && model.is_live(point, location)
    });
    let live = live.filter_map(|(location, data)| {
        let variable = Variable::of(&arena.terms, model.at_start[location])?;
        Some(Variable {
            is_element: data.of.is_some() && !model.locations.is_of_nodes(location),
            node: match data.object {
                Object::Nodes(nodes) => Some((nodes, false)),
                Object::Allocated(nodes) => Some((nodes, true)),
                _ => None,
            }
            .map(|(nodes, is_flag)| OfNode {
                class: nodes.class,
                is_flag,
            }),
            leads_to: model
                .locations
                .leads_to(&model.unfolding, location)
                .map(|nodes| nodes.class),
            is_start: model.locations.is_start(&model.unfolding, location),
            is_unsigned: types.int(data.ty).is_some_and(|int| !int.signed),
            ..variable
        })
    });
    live.collect()
}

/// Whether a location is known to have one value.
fn is_constant(terms: &mut Terms, location: Variable, known: &[Term]) -> bool {
    known.iter().any(|&it| match terms.node(it) {
        Node::Compare(CmpOp::Eq, a, b) => {
            let is_value = |other: Term| terms.as_constant(other).is_some();
            a == location.term && is_value(b) || b == location.term && is_value(a)
        }
        _ => false,
    })
}

/// Locations that segments extend to the width of integers in other locations: a sum of 64 bits, and a
/// counter of 32.
fn extended(formulas: &Formulas<'_>, segments: &IndexVec<CutId, Segment>) -> Vec<Term> {
    let terms = &formulas.arena.terms;
    let model = &formulas.model;
    let is_integer = |ty| model.program().types.int(ty).is_some();
    let integers = model
        .locations
        .iter()
        .filter(|(_, data)| is_integer(data.ty) && data.of.is_none());
    let integers: Vec<Term> = integers.map(|(number, _)| model.at_start[number]).collect();
    let widths: BTreeSet<u32> = integers.iter().map(|&it| terms.width(it)).collect();
    let all = segments.iter().flat_map(Segment::terms).collect();
    let mut found = BTreeSet::new();
    for (term, node) in nodes_with_terms(terms, all) {
        if let Node::SignExtend { width, .. } | Node::ZeroExtend { width, .. } = node
            && widths.contains(&width)
            && operand_is_one_of(terms, term, &integers)
        {
            found.insert(term);
        }
    }
    found.into_iter().collect()
}

/// Whether a term extends one of some terms.
fn operand_is_one_of(terms: &Terms, term: Term, of: &[Term]) -> bool {
    match terms.node(term) {
        Node::SignExtend { of: inner, .. } | Node::ZeroExtend { of: inner, .. } => {
            of.contains(&inner)
        }
        _ => false,
    }
}

/// The remainders of some variables by constants that a segment computes.
fn remainders(terms: &Terms, segment: &Segment, of: &[Term]) -> BTreeSet<Term> {
    let nodes = nodes_with_terms(terms, segment.terms());
    let remainders = nodes.into_iter().filter(|&(_, node)| match node {
        Node::Binary(BvOp::URem | BvOp::SRem, a, b) => {
            of.contains(&a) && terms.as_constant(b).is_some()
        }
        _ => false,
    });
    remainders.map(|(term, _)| term).collect()
}

/// The guesses of each kind. Those about nodes that lead to others may hold only together with those
/// about two of these, so that equations come with them once more.
fn split(formulas: &Formulas<'_>, all: &Invariants) -> Guesses {
    let of_lists = of_lists(formulas);
    let is_of_lists = |guess: Term| {
        let about = formulas.arena.terms.variables(guess);
        of_lists.iter().any(|&var| about.contains(var)) && !has_order(formulas, guess)
    };
    let kinds = [
        Needs::Comparisons,
        Needs::Pairs,
        Needs::Sums,
        Needs::Products,
    ];
    kinds.map(|wanted| {
        let of_cut = |guesses: &Vec<Term>| {
            let guesses = guesses.iter().copied();
            guesses
                .filter(|&guess| match needs(formulas, guess) {
                    Needs::Comparisons | Needs::Sums if wanted == Needs::Pairs => {
                        is_of_lists(guess)
                    }
                    needs => needs == wanted,
                })
                .collect()
        };
        all.iter().map(of_cut).collect()
    })
}

/// Whether a guess says that something is less than something else.
fn has_order(formulas: &Formulas<'_>, guess: Term) -> bool {
    let mut nodes = nodes(&formulas.arena.terms, vec![guess]).into_iter();
    nodes.any(|node| matches!(node, Node::Compare(op, ..) if op != CmpOp::Eq))
}

/// The variables of nodes that are known at two indices, and of pointers to them.
fn of_lists(formulas: &Formulas<'_>) -> BTreeSet<Var> {
    let Formulas { model, arena, .. } = formulas;
    let locations = &model.locations;
    let pairs = locations.pairs().map(|(first, _)| first);
    let of_nodes: Vec<LocationId> = pairs.filter(|&it| locations.is_of_nodes(it)).collect();
    let classes = of_nodes.iter().map(|&it| locations.get(it).object);
    let classes: BTreeSet<Object> = classes.collect();
    let is_pointer = |location: LocationId| {
        let leads_to = locations.leads_to(&model.unfolding, location);
        leads_to.is_some_and(|nodes| classes.contains(&Object::Nodes(nodes)))
    };
    let pointers = locations.iter().map(|(number, _)| number);
    let all = pointers.filter(|&it| is_pointer(it)).chain(of_nodes);
    all.filter_map(|it| variable(&arena.terms, model.at_start[it]))
        .collect()
}

/// What makes it hard to decide whether a guess holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Needs {
    /// Nothing: it compares locations and constants.
    Comparisons,
    /// Sums of them.
    Sums,
    /// Two elements of an array: there is an instance of it for any two that a segment reads.
    Pairs,
    /// Multiplications and divisions.
    Products,
}

fn needs(formulas: &Formulas<'_>, term: Term) -> Needs {
    let nodes = nodes(&formulas.arena.terms, vec![term]).into_iter();
    let kinds = nodes.map(|node| match node {
        Node::Binary(BvOp::Mul | BvOp::UDiv | BvOp::SDiv | BvOp::URem | BvOp::SRem, ..) => {
            Needs::Products
        }
        Node::Binary(BvOp::Add | BvOp::Sub, ..) => Needs::Sums,
        _ => Needs::Comparisons,
    });
    let of_two = formulas.is_about_second(term).then_some(Needs::Pairs);
    kinds.chain(of_two).max().unwrap_or(Needs::Comparisons)
}

/// The variables whose values at a cut decide something behind it: those that the formulas of its
/// segment read, and those that make the values of such variables at the next cuts.
fn deciding(formulas: &Formulas<'_>) -> IndexVec<CutId, BTreeSet<Var>> {
    let terms = &formulas.arena.terms;
    let changed = |exit: &Exit| {
        let changed = exit.state.changed.iter();
        let changed = changed.filter_map(|(&location, &value)| {
            let var = variable(terms, formulas.model.at_start[location])?;
            Some((var, value))
        });
        changed.collect()
    };
    let before = |exit: &Exit, later: &BTreeSet<Var>| {
        let changed: BTreeMap<Var, Term> = changed(exit);
        let mut before = BTreeSet::new();
        for &var in later {
            match changed.get(&var) {
                Some(&value) => before.extend(terms.variables(value).iter()),
                None => before.extend([var]),
            }
        }
        before
    };
    backwards(terms, &formulas.segments, decided_by, before)
}

/// The variables that the formulas of all segments read that follow a cut.
fn read_from(terms: &Terms, segments: &IndexVec<CutId, Segment>) -> IndexVec<CutId, BTreeSet<Var>> {
    backwards(terms, segments, Segment::terms, |_, later| later.clone())
}

/// Variables at each cut: those of some terms of its segment, and those that the variables at the
/// cuts behind its exits depend on.
fn backwards(
    terms: &Terms,
    segments: &IndexVec<CutId, Segment>,
    own: fn(&Segment) -> Vec<Term>,
    before: impl Fn(&Exit, &BTreeSet<Var>) -> BTreeSet<Var>,
) -> IndexVec<CutId, BTreeSet<Var>> {
    let own = segments.iter().map(|segment| {
        let read = terms.all_variables(&own(segment));
        read.into_iter().collect()
    });
    let mut at: IndexVec<CutId, BTreeSet<Var>> = own.collect();
    loop {
        let mut has_grown = false;
        for (cut, segment) in segments.iter_enumerated() {
            for exit in &segment.exits {
                let more = before(exit, &at[exit.to]);
                let count = at[cut].len();
                at[cut].extend(more);
                has_grown |= at[cut].len() > count;
            }
        }
        if !has_grown {
            return at;
        }
    }
}

/// The terms of a segment's formulas, but for the values behind it.
fn decided_by(segment: &Segment) -> Vec<Term> {
    let checks = segment.checks.iter().map(|check| check.holds);
    let places = segment.places.iter().map(|reached| reached.reach);
    let exits = segment.exits.iter().map(|exit| exit.state.reach);
    checks.chain(places).chain(exits).collect()
}

/// The locations that some segment reads elements at.
fn indices(formulas: &Formulas<'_>, segments: &IndexVec<CutId, Segment>) -> BTreeSet<Var> {
    let terms = &formulas.arena.terms;
    let all = segments
        .iter()
        .flat_map(|segment| &segment.arrays.instances);
    let read: Vec<Term> = all.map(|instance| instance.index).collect();
    terms.all_variables(&read).into_iter().collect()
}
