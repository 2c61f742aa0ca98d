//! Combinations of conditions.

use ir::*;

use super::Source;

impl Source<'_> {
    pub(super) fn formula(&mut self, depth: u32) -> Formula {
        if depth == 0 {
            return Formula::Constant(self.flag());
        }
        match self.pick(5) {
            0 => {
                self.body.conditions += 1;
                Formula::Condition((self.body.conditions - 1).into())
            }
            1 => Formula::Not(Box::new(self.formula(depth - 1))),
            2 => Formula::And(
                Box::new(self.formula(depth - 1)),
                Box::new(self.formula(depth - 1)),
            ),
            3 => Formula::Or(
                Box::new(self.formula(depth - 1)),
                Box::new(self.formula(depth - 1)),
            ),
            _ => Formula::Constant(self.flag()),
        }
    }
}
