//! The proofs of lazy expansion, whether they still count, and the executions that contradict them.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;
use vm::Execution;

use super::accelerate::Refutation;
use super::proof::Proof;
use super::unit_paths::{UnitNode, UnitPaths};
use crate::acceleration::Acceleration;
use crate::path_tree::Flip;

/// Proof that abstract paths stand for all paths through the unit, and that each was made real or
/// ruled out. Only [`Proofs::unit_proof`] makes one.
#[derive(Clone, Debug)]
pub(crate) struct UnitProof(());

/// The proofs, and whether they still count.
#[derive(Debug)]
pub(crate) struct Proofs {
    /// Whether nothing was lost where calls were replaced.
    is_exact: bool,
    /// The prunings by which places were ruled out, each with the number of these.
    cited: BTreeMap<Acceleration, u64>,
    /// The claims of prunings, if these are checked and not acted upon.
    audit: Option<Audit>,
    /// Proofs that an execution contradicted.
    contradictions: Vec<String>,
}

impl Proofs {
    /// No proofs yet. If `audit` is set, executions check the claims of prunings, which then leave
    /// nothing out.
    pub fn new(audit: bool) -> Proofs {
        Proofs {
            is_exact: true,
            cited: BTreeMap::new(),
            audit: audit.then(Audit::default),
            contradictions: Vec::new(),
        }
    }

    /// Whether nothing was lost where calls were replaced.
    pub fn is_exact(&self) -> bool {
        self.is_exact
    }

    /// Records that precision was lost: nothing is proved any more.
    pub fn lose(&mut self) {
        self.is_exact = false;
    }

    /// The proof of the unit, once no abstract path is left to try.
    pub fn unit_proof(&self) -> Option<UnitProof> {
        self.is_exact.then_some(UnitProof(()))
    }

    /// The prunings by which places were ruled out, so that nothing is looked for there.
    pub fn prunings(&self) -> impl Iterator<Item = Acceleration> {
        self.cited.keys().copied()
    }

    /// Rules out a place.
    pub fn rule_out(&mut self, place: UnitNode, proof: &Proof, units: &mut UnitPaths) {
        for refutation in proof.prunings() {
            *self.cited.entry(refutation.by()).or_default() += 1;
        }
        units.rule_out(place, proof);
    }

    /// Rules out a place that a pruning claims is never reached. Returns whether it was ruled out.
    pub fn prune(
        &mut self,
        place: UnitNode,
        refutation: Refutation,
        units: &mut UnitPaths,
    ) -> bool {
        if let Some(audit) = &mut self.audit {
            audit.places.insert(place, refutation.by());
        }
        let is_pruned = self.is_exact && self.audit.is_none();
        if is_pruned {
            self.rule_out(place, &Proof::Refuted(refutation), units);
        }
        is_pruned
    }

    /// Whether nothing is left out, so that what prunings say is checked.
    pub fn is_audited(&self) -> bool {
        self.audit.is_some()
    }

    /// Records, for an audit, that a pruning says that no execution by a flip follows a path
    /// through these places as far as the edges of its evidence.
    pub fn claim(&mut self, flip: Flip, places: &[UnitNode], refutation: Refutation) {
        if let (Some(audit), Some(&place)) = (&mut self.audit, places.get(refutation.edges())) {
            let claims = audit.flips.entry(flip).or_default();
            claims.push((place, refutation.by()));
        }
    }

    /// Checks an execution against all claims. `reaches_ruled_out` says that it reached a place
    /// that was ruled out, with no call replaced before.
    pub fn check(
        &mut self,
        execution: &Execution,
        path: &[Flip],
        places: &[UnitNode],
        reaches_ruled_out: bool,
    ) {
        if reaches_ruled_out && self.is_exact {
            self.contradicted("an execution takes an abstract path that was ruled out".to_owned());
        }
        if execution.abstracted == 0 {
            self.hold_to(path, places);
        }
    }

    /// Checks an execution with no call replaced against the claims of prunings.
    fn hold_to(&mut self, path: &[Flip], places: &[UnitNode]) {
        let audit = self.audit.as_ref().filter(|_| self.is_exact);
        let broken = audit.and_then(|audit| audit.broken(path, places));
        if let Some(by) = broken {
            self.contradicted(format!("an execution does what {} rules out", by.name()));
        }
    }

    fn contradicted(&mut self, what: String) {
        debug_assert!(self.audit.is_some(), "{what}");
        self.is_exact = false;
        self.contradictions.push(what);
    }

    /// Proofs that an execution contradicted: defects of attest.
    pub fn contradictions(&self) -> &[String] {
        &self.contradictions
    }
}

/// The claims of prunings that are to be checked.
#[derive(Debug, Default)]
struct Audit {
    /// Places that are never reached.
    places: FxHashMap<UnitNode, Acceleration>,
    /// Flips by which these places are never reached.
    flips: FxHashMap<Flip, Vec<(UnitNode, Acceleration)>>,
}

impl Audit {
    /// The pruning whose claim an execution with no call replaced contradicts, if there is one.
    fn broken(&self, path: &[Flip], places: &[UnitNode]) -> Option<Acceleration> {
        let mut on_path = places.iter().filter_map(|place| self.places.get(place));
        let claims = path.iter().filter_map(|flip| self.flips.get(flip));
        let mut claims = claims.flatten();
        let mut by_flip = || claims.find(|(place, _)| places.contains(place));
        on_path
            .next()
            .copied()
            .or_else(|| by_flip().map(|&(_, by)| by))
    }
}

#[cfg(test)]
mod tests {
    use slotmap::SlotMap;

    use super::{Proofs, Refutation};
    use crate::acceleration::Acceleration;
    use crate::lazy::unit_paths::UnitNode;
    use crate::path_tree::{Flip, NodeId};

    const WRONG: Refutation = Refutation::of(Acceleration::ReturnedValues, 1);

    fn flip() -> Flip {
        let mut nodes: SlotMap<NodeId, ()> = SlotMap::with_key();
        let node = nodes.insert(());
        Flip { node, branch: 0 }
    }

    #[test]
    fn an_audit_leaves_nothing_out_and_finds_what_is_wrong() {
        let (start, behind) = (UnitNode::from_raw(0), UnitNode::from_raw(1));
        let mut proofs = Proofs::new(true);
        proofs.claim(flip(), &[start, behind], WRONG);
        proofs.hold_to(&[flip()], &[start]);
        assert!(proofs.contradictions().is_empty());
        proofs.hold_to(&[flip()], &[start, behind]);
        assert_eq!(proofs.contradictions().len(), 1);
        assert!(proofs.unit_proof().is_none());
    }

    #[test]
    fn without_an_audit_nothing_is_claimed() {
        let mut proofs = Proofs::new(false);
        let places = [0, 1].map(UnitNode::from_raw);
        proofs.claim(flip(), &places, WRONG);
        proofs.hold_to(&[flip()], &places);
        assert!(proofs.contradictions().is_empty());
        assert!(proofs.unit_proof().is_some());
        assert_eq!(proofs.prunings().count(), 0);
    }
}
