//! Numbers of a caller's objects with which a defect shows, one by one, whatever small value they
//! have, though it needs some of them to be small, or in an order.
//!
//! ```text
//! if (b->end >= b->size) …    with end = size = 1 the branch is taken, and so it is with end = 2,
//!                             or with size = 0: but only objects are passed with end < size
//! if (c->used < 16) …         is taken with 0, 1 and 2: but objects may be passed with more alone
//! ```
//!
//! A defect rests on such numbers unless it shows where they rise, and where they fall, in the order
//! of their places, and where none is small.

use ir::CellId;
use ir::input::{InputValue, Root};
use ir::test::Defect;

use super::unusual::Unusual;
use super::{Best, Retrial, replacing};

/// The distance from one number to the next.
const STEP: usize = 8;

/// The least number, and the least of those that are not small.
const LEAST: usize = 1;
const LARGE: usize = 65;

impl Retrial<'_, '_> {
    /// Takes numbers as relevant that are so together, or among larger ones.
    pub(super) fn keep_related(&mut self, defect: &Defect, best: &mut Best) {
        let all = self.unusual(defect, &best.shown.execution.inputs);
        let related = all.into_iter().filter(|it| {
            let mut values = it.instead.iter();
            let is_number = values.any(|value| matches!(value, InputValue::Bits(_)));
            let is_of_object = !matches!(self.root(it.cell), Root::Parameter(_));
            let is_plausible = it.is_state() && !it.is_set_up;
            is_number && is_of_object && is_plausible && best.irrelevant.contains(&it.cell)
        });
        let mut related: Vec<Unusual> = related.collect();
        if related.is_empty() {
            return;
        }
        related.sort_by_key(|it| it.cell);
        let count = related.len();
        let rising = |at: usize| LEAST + at * STEP;
        let falling = |at: usize| LEAST + (count - 1 - at) * STEP;
        let large = |at: usize| LARGE + at * STEP;
        let shows = self.shows_with(defect, best, &related, rising)
            && self.shows_with(defect, best, &related, falling)
            && self.shows_with(defect, best, &related, large);
        if !shows {
            related.iter().for_each(|it| {
                best.irrelevant.remove(&it.cell);
            });
        }
    }

    fn root(&self, cell: CellId) -> &Root {
        let object = self.space.cell_data(cell).object;
        &self.space.object_data(object).root
    }

    /// Whether a defect shows where each number has the value for its position.
    fn shows_with(
        &mut self,
        defect: &Defect,
        best: &Best,
        numbers: &[Unusual],
        value: impl Fn(usize) -> usize,
    ) -> bool {
        let mut changed = best.inputs.clone();
        for (at, number) in numbers.iter().enumerate() {
            let width = self.space.cell_data(number.cell).width;
            let bits = value(at) as u128 & (u128::MAX >> (128 - width.clamp(1, 128)));
            let other = (number.cell, InputValue::Bits(bits));
            changed = replacing::with(self.program, self.space, &changed, other);
        }
        self.shows(defect, &changed).is_some()
    }
}
