//! Sets of variables, shared between the terms that have the same.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::Var;

/// A set in some [`VarSets`]; equal sets have equal numbers, and 0 is the empty set.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct VarSet(u32);

/// All sets that some term has.
#[derive(Clone, Debug)]
pub(crate) struct VarSets {
    sets: Vec<Arc<[Var]>>,
    numbers: FxHashMap<Arc<[Var]>, VarSet>,
    unions: FxHashMap<(VarSet, VarSet), VarSet>,
}

impl Default for VarSets {
    fn default() -> VarSets {
        let mut sets = VarSets {
            sets: Vec::new(),
            numbers: FxHashMap::default(),
            unions: FxHashMap::default(),
        };
        sets.intern(&[]);
        sets
    }
}

impl VarSets {
    /// The variables in increasing order.
    pub(crate) fn get(&self, set: VarSet) -> &[Var] {
        &self.sets[set.0 as usize]
    }

    /// The set of one variable.
    pub(crate) fn singleton(&mut self, var: Var) -> VarSet {
        self.intern(&[var])
    }

    /// The union of two sets.
    pub(crate) fn union(&mut self, a: VarSet, b: VarSet) -> VarSet {
        let (a, b) = (a.min(b), a.max(b));
        if a == b || a == VarSet::default() {
            return b;
        }
        if let Some(&known) = self.unions.get(&(a, b)) {
            return known;
        }
        let mut all: Vec<Var> = self.get(a).iter().chain(self.get(b)).copied().collect();
        all.sort_unstable();
        all.dedup();
        let union = self.intern(&all);
        self.unions.insert((a, b), union);
        union
    }

    fn intern(&mut self, sorted: &[Var]) -> VarSet {
        if let Some(&set) = self.numbers.get(sorted) {
            return set;
        }
        let set = VarSet(u32::try_from(self.sets.len()).unwrap_or(u32::MAX));
        let shared: Arc<[Var]> = sorted.into();
        self.sets.push(Arc::clone(&shared));
        self.numbers.insert(shared, set);
        set
    }
}
