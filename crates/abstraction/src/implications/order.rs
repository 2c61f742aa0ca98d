//! Which predicates imply which others in all states seen so far.
//!
//! ```text
//! column(l)  := the states in which the literal l holds: a predicate, or its negation
//! a implies b where column(a) is a part of column(b)
//! clauses    := l,                 if it holds in all states
//!               a == b,            for literals with one column
//!               not a or b,        for columns one of which is a part of the next larger ones
//! ```
//!
//! What other implications there are follows from these ("Instantiation-based invariant discovery",
//! Kahsai, Ge and Tinelli 2011). So a new state that one of them fails in leaves those that hold on:
//! they are told from then on.

use std::collections::BTreeMap;

use fixedbitset::FixedBitSet;
use rustc_hash::FxHashSet;

/// A predicate by its number, or its negation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Literal {
    /// The number of the predicate.
    pub predicate: usize,
    /// Whether it is negated.
    pub is_negated: bool,
}

impl Literal {
    fn negated(self) -> Literal {
        Literal {
            is_negated: !self.is_negated,
            ..self
        }
    }
}

/// What holds in all states seen so far.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Clause {
    /// No state was seen.
    Never,
    /// A literal holds.
    One(Literal),
    /// One of two literals holds, or both.
    Either(Literal, Literal),
}

impl Clause {
    /// That one literal implies another one. It is the same clause for the negated ones.
    fn implies(from: Literal, to: Literal) -> Clause {
        let (a, b) = (from.negated(), to);
        Clause::Either(a.min(b), a.max(b))
    }
}

/// The states in which a literal holds: a bit for each.
type Column = Vec<u64>;

/// The values of predicates in states.
#[derive(Clone, Debug, Default)]
pub struct Table {
    /// For each predicate that is not left out.
    columns: BTreeMap<usize, Column>,
    states: usize,
    /// The states, each once.
    seen: FxHashSet<FixedBitSet>,
}

impl Table {
    /// A table without states.
    pub fn new(predicates: usize) -> Table {
        Table {
            columns: (0..predicates).map(|it| (it, Column::new())).collect(),
            ..Table::default()
        }
    }

    /// The predicates that are not left out.
    pub fn predicates(&self) -> impl Iterator<Item = usize> + '_ {
        self.columns.keys().copied()
    }

    /// Adds a state, with the predicates that hold in it. Returns whether none was like it.
    pub fn add(&mut self, holds: FixedBitSet) -> bool {
        if self.seen.contains(&holds) {
            return false;
        }
        let bit = self.states % 64;
        for (&predicate, column) in &mut self.columns {
            if bit == 0 {
                column.push(0);
            }
            if let Some(last) = column.last_mut() {
                *last |= u64::from(holds.contains(predicate)) << bit;
            }
        }
        self.states += 1;
        self.seen.insert(holds)
    }

    /// Leaves out a predicate.
    pub fn leave_out(&mut self, predicate: usize) {
        self.columns.remove(&predicate);
    }

    /// The clauses from which all implications follow, see the module.
    pub fn clauses(&self) -> Vec<Clause> {
        if self.states == 0 {
            return vec![Clause::Never];
        }
        let mut found = Vec::new();
        let mut classes: BTreeMap<(u32, Column), Vec<Literal>> = BTreeMap::new();
        for (&predicate, column) in &self.columns {
            let opposite = self.opposite(column);
            for (column, is_negated) in [(column.clone(), false), (opposite, true)] {
                let literal = Literal {
                    predicate,
                    is_negated,
                };
                let count = column.iter().map(|word| word.count_ones()).sum();
                if count as usize == self.states {
                    found.push(Clause::One(literal));
                } else if count > 0 {
                    classes.entry((count, column)).or_default().push(literal);
                }
            }
        }
        for class in classes.values() {
            for pair in class.windows(2) {
                found.push(Clause::implies(pair[0], pair[1]));
                found.push(Clause::implies(pair[1], pair[0]));
            }
        }
        found.extend(next_larger(&classes));
        found.sort_unstable();
        found.dedup();
        found
    }

    fn opposite(&self, column: &Column) -> Column {
        let mut opposite: Column = column.iter().map(|word| !word).collect();
        let used = self.states % 64;
        if used > 0
            && let Some(last) = opposite.last_mut()
        {
            *last &= (1 << used) - 1;
        }
        opposite
    }
}

/// That the literals of classes imply those of the next larger ones. Classes are in the order of
/// their sizes.
fn next_larger(classes: &BTreeMap<(u32, Column), Vec<Literal>>) -> Vec<Clause> {
    let all: Vec<(&Column, Literal)> = classes
        .iter()
        .filter_map(|((_, column), class)| Some((column, *class.first()?)))
        .collect();
    let is_part = |a: &Column, b: &Column| a.iter().zip(b).all(|(a, b)| a & !b == 0);
    let mut found = Vec::new();
    for (at, &(column, literal)) in all.iter().enumerate() {
        let mut next: Vec<&Column> = Vec::new();
        for &(larger, other) in &all[at + 1..] {
            if is_part(column, larger) && !next.iter().any(|next| is_part(next, larger)) {
                next.push(larger);
                found.push(Clause::implies(literal, other));
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn table(predicates: usize, states: &[u16]) -> Table {
        let mut table = Table::new(predicates);
        for state in states {
            let holds = (0..predicates).filter(|predicate| state >> predicate & 1 == 1);
            table.add(holds.collect());
        }
        table
    }

    fn holds(literal: Literal, state: u16) -> bool {
        (state >> literal.predicate & 1 == 1) != literal.is_negated
    }

    fn keeps(clause: Clause, state: u16) -> bool {
        match clause {
            Clause::Never => false,
            Clause::One(literal) => holds(literal, state),
            Clause::Either(a, b) => holds(a, state) || holds(b, state),
        }
    }

    fn literals(predicates: usize) -> impl Iterator<Item = Literal> + Clone {
        (0..predicates).flat_map(|predicate| {
            [false, true].map(|is_negated| Literal {
                predicate,
                is_negated,
            })
        })
    }

    proptest! {
        /// The clauses hold in all states, and each clause of two literals that does follows.
        #[test]
        fn all_implications_follow(states in proptest::collection::vec(0u16..64, 1..90)) {
            let clauses = table(6, &states).clauses();
            for &clause in &clauses {
                prop_assert!(states.iter().all(|&state| keeps(clause, state)));
            }
            let allowed = (0u16..64).filter(|&it| clauses.iter().all(|&clause| keeps(clause, it)));
            let allowed: Vec<u16> = allowed.collect();
            for a in literals(6) {
                for b in literals(6) {
                    let either = Clause::Either(a, b);
                    if states.iter().all(|&state| keeps(either, state)) {
                        prop_assert!(allowed.iter().all(|&state| keeps(either, state)));
                    }
                }
            }
        }
    }

    #[test]
    fn chains_are_told_by_their_links() {
        // 0 implies 1, 1 implies 2, and all three are told apart.
        let clauses = table(3, &[0b000, 0b100, 0b110, 0b111]).clauses();
        assert_eq!(clauses.len(), 2);
        assert_eq!(Table::new(3).clauses(), [Clause::Never]);
    }
}
