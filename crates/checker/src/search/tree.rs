//! The tree of the paths of some executions, as their constraints make it.
//!
//! ```text
//! slot ─► node ─► side, by a term ─► slot ─► …
//!           └───► others: what no execution did here
//! ```

use expr::Term;
use index_vec::IndexVec;
use vm::{Constraint, ConstraintKind, Context, Demand, Site};

index_vec::define_index_type! {
    /// A place in the tree: where a side leads.
    pub struct SlotId = u32;
    IMPL_RAW_CONVERSIONS = true;
}

/// Where a side leads.
#[derive(Clone, Debug, Default)]
pub struct Slot {
    /// The next choice of the executions that come here.
    pub node: Option<Node>,
    /// Whether executions end here though no condition on the path says so.
    ended: bool,
    /// The conditions under which they do.
    pub ended_by: Vec<Term>,
}

/// A choice of the input.
#[derive(Clone, Debug)]
pub struct Node {
    /// Where it is in the program.
    pub site: Site,
    /// Why it is there.
    pub kind: ConstraintKind,
    /// The calls on the stack.
    pub context: Context,
    /// What executions did.
    pub sides: Vec<Side>,
    /// What they did not do, by what it demands of the input.
    pub others: Vec<Other>,
    /// The number of an execution that comes here.
    pub source: usize,
}

/// What some executions did at a node.
#[derive(Clone, Debug)]
pub struct Side {
    /// Its number, among those of the site.
    pub number: u32,
    /// What holds then.
    pub term: Term,
    /// Where it leads.
    pub to: SlotId,
}

/// What no execution did at a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Other {
    /// Its number, among those of the site.
    pub number: u32,
    /// What it demands of the input.
    pub demand: Demand,
}

/// Two executions that made the same choices up to a site, and differ there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Conflict(pub Option<Site>);

/// The tree.
#[derive(Clone, Debug)]
pub struct Tree {
    slots: IndexVec<SlotId, Slot>,
}

impl Default for Tree {
    fn default() -> Self {
        Tree {
            slots: IndexVec::from_vec(vec![Slot::default()]),
        }
    }
}

impl Tree {
    /// Where all executions begin.
    pub const ROOT: SlotId = SlotId { _raw: 0 };

    /// A slot.
    pub fn slot(&self, id: SlotId) -> &Slot {
        &self.slots[id]
    }

    /// All slots; each comes after those that lead to it.
    pub fn slots(&self) -> impl DoubleEndedIterator<Item = (SlotId, &Slot)> {
        self.slots.iter_enumerated()
    }

    /// The slot that a path leads to, if executions came there.
    pub fn find(&self, path: &[Constraint]) -> Option<SlotId> {
        let mut slot = Tree::ROOT;
        for constraint in path {
            let node = self.slots[slot].node.as_ref()?;
            let mut sides = node.sides.iter().filter(|_| node.is_of(constraint));
            let is_taken =
                |side: &&Side| side.number == constraint.taken && side.term == constraint.term;
            slot = sides.find(is_taken)?.to;
        }
        Some(slot)
    }

    /// Adds the path of an execution. `ended_by` is the condition because of which it ended, if no
    /// constraint says so.
    ///
    /// # Errors
    /// It contradicts the paths before it: the constraints do not decide what executions do.
    pub fn insert(
        &mut self,
        path: &[Constraint],
        source: usize,
        ended_by: Option<Term>,
    ) -> Result<(), Conflict> {
        let mut slot = Tree::ROOT;
        for constraint in path {
            slot = self
                .step(slot, constraint, source)
                .ok_or(Conflict(Some(constraint.site)))?;
        }
        let last = &mut self.slots[slot];
        match ended_by {
            Some(condition) if !last.ended_by.contains(&condition) => {
                last.ended_by.push(condition);
            }
            Some(_) => {}
            None if last.node.is_some() => {
                return Err(Conflict(last.node.as_ref().map(|node| node.site)));
            }
            None => last.ended = true,
        }
        Ok(())
    }

    /// Where a constraint leads from a slot; `None` if it contradicts the tree.
    fn step(&mut self, from: SlotId, constraint: &Constraint, source: usize) -> Option<SlotId> {
        if self.slots[from].ended {
            return None;
        }
        let next = self.slots.next_idx();
        let node = self.slots[from].node.get_or_insert_with(|| Node {
            site: constraint.site,
            kind: constraint.kind,
            context: constraint.context,
            sides: Vec::new(),
            others: Vec::new(),
            source,
        });
        if !node.is_of(constraint) {
            return None;
        }
        let to = node.take(constraint, next)?;
        if to == next {
            self.slots.push(Slot::default());
        }
        Some(to)
    }
}

impl Node {
    /// Whether a constraint is one of this choice.
    fn is_of(&self, constraint: &Constraint) -> bool {
        self.site == constraint.site
            && self.kind == constraint.kind
            && self.context == constraint.context
    }

    /// Where the side of a constraint leads: to `next`, if it is new. `None` if another execution took
    /// the side by another condition.
    fn take(&mut self, constraint: &Constraint, next: SlotId) -> Option<SlotId> {
        let is_value = self.kind == ConstraintKind::Concretisation;
        let known = self.sides.iter().find(|side| match is_value {
            true => side.term == constraint.term,
            false => side.number == constraint.taken,
        });
        if let Some(known) = known {
            return (known.term == constraint.term).then_some(known.to);
        }
        self.sides.push(Side {
            number: constraint.taken,
            term: constraint.term,
            to: next,
        });
        let others = constraint.alternatives.iter();
        self.others.extend(others.map(|other| Other {
            number: other.number,
            demand: other.demand,
        }));
        let sides = &self.sides;
        let mut seen: Vec<Other> = Vec::new();
        self.others.retain(|other| {
            let is_taken = sides.iter().any(|side| side.number == other.number);
            let is_new = !seen.contains(other);
            seen.push(*other);
            is_new && !is_taken
        });
        Some(next)
    }
}
