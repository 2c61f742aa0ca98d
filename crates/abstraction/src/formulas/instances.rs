//! What invariants say where segments start: themselves, and what they say of the elements that a
//! segment reads.
//!
//! ```text
//! an invariant about the element at the index      holds at each index
//! one about those at the index and at the second   holds of each two indices
//! ```
//!
//! The indices are those at which the segment reads, and those at which elements are known.

use expr::{Substitution, Term};

use crate::formulas::arrays::Instance;
use crate::formulas::nodes::variable;
use crate::formulas::{Formulas, LARGEST};
use crate::graph::cuts::CutId;
use crate::objects::location::AtIndex;
use crate::objects::locations::LocationId;

/// How many indices that a segment reads at are put in place of two.
const MOST_PAIRED: usize = 6;

impl Formulas<'_> {
    /// What an invariant says where a segment starts: itself, and what it says of the elements that
    /// the segment reads.
    pub fn instances(&mut self, segment: CutId, invariant: Term) -> Vec<Term> {
        if let Some(known) = self.instances.get(&(segment, invariant)) {
            return known.clone();
        }
        let mut all = vec![invariant];
        for mut substitution in self.substitutions(segment, invariant) {
            let here = substitution.apply(&mut self.arena.terms, invariant, LARGEST);
            all.extend(here.filter(|here| !all.contains(here)));
        }
        self.instances.insert((segment, invariant), all.clone());
        all
    }

    /// The same of several invariants.
    pub fn all_instances(&mut self, segment: CutId, invariants: &[Term]) -> Vec<Term> {
        let all = invariants.iter();
        all.flat_map(|&invariant| self.instances(segment, invariant))
            .collect()
    }

    /// What puts other indices in place of those that an invariant is about.
    fn substitutions(&self, segment: CutId, invariant: Term) -> Vec<Substitution> {
        let read = &self.segments[segment].arrays.instances;
        let known = [AtIndex::First, AtIndex::Second].map(|at| self.known_at(at));
        let of_one = |instance| self.at_indices(&[(AtIndex::First, instance)]);
        let [Some(first), Some(second)] = &known else {
            return read.iter().map(of_one).collect();
        };
        // Of other arrays, nothing is known at the second index.
        let moved = Some(second).filter(|_| !self.is_about_others(invariant));
        if !self.is_about_second(invariant) {
            return read.iter().chain(moved).map(of_one).collect();
        }
        let read = read.iter().take(MOST_PAIRED);
        let all: Vec<&Instance> = [first, second].into_iter().chain(read).collect();
        let mut found = Vec::new();
        for (i, &one) in all.iter().enumerate() {
            for (j, &other) in all.iter().enumerate() {
                let is_known = !std::ptr::eq(one, second) || moved.is_some();
                if i != j && is_known {
                    let both = [(AtIndex::First, one), (AtIndex::Second, other)];
                    found.push(self.at_indices(&both));
                }
            }
        }
        found
    }

    /// Whether an invariant is about the second index or an element there.
    pub fn is_about_second(&self, invariant: Term) -> bool {
        let locations = &self.model.locations;
        let elements = locations.pairs().map(|(_, element)| element);
        self.is_about_one_of(
            invariant,
            elements.chain(locations.index_at(AtIndex::Second)),
        )
    }

    /// Whether an invariant is about elements that are known at one index only.
    fn is_about_others(&self, invariant: Term) -> bool {
        let locations = &self.model.locations;
        let elements = locations.elements().iter().copied();
        let others = elements.filter(|&element| locations.at_second(element).is_none());
        self.is_about_one_of(invariant, others)
    }

    fn is_about_one_of(
        &self,
        invariant: Term,
        mut locations: impl Iterator<Item = LocationId>,
    ) -> bool {
        let terms = &self.arena.terms;
        let about = terms.variables(invariant);
        locations.any(|location| {
            let var = variable(terms, self.model.at_start[location]);
            var.is_some_and(|var| about.contains(var))
        })
    }

    /// What is known at one of the indices where segments start, if elements are known there.
    fn known_at(&self, at: AtIndex) -> Option<Instance> {
        let locations = &self.model.locations;
        let at_start = &self.model.at_start;
        let index = locations.index_at(at)?;
        let elements = locations.pairs().map(|(first, second)| match at {
            AtIndex::First => (first, at_start[first]),
            AtIndex::Second => (first, at_start[second]),
        });
        Some(Instance {
            index: at_start[index],
            elements: elements.collect(),
        })
    }

    /// What puts instances in place of what is known at indices.
    fn at_indices(&self, instances: &[(AtIndex, &Instance)]) -> Substitution {
        let locations = &self.model.locations;
        let mut substitution = Substitution::default();
        for &(at, instance) in instances {
            let index = locations.index_at(at).map(|k| (k, instance.index));
            let here = |(&array, &term)| match at {
                AtIndex::First => Some((array, term)),
                AtIndex::Second => Some((locations.at_second(array)?, term)),
            };
            let elements = instance.elements.iter().filter_map(here);
            for (location, term) in index.into_iter().chain(elements) {
                if let Some(var) = variable(&self.arena.terms, self.model.at_start[location]) {
                    substitution.insert(var, term);
                }
            }
        }
        substitution
    }
}
