//! Branches and switches on values that depend on inputs.

use expr::Term;

use crate::code::{Source, SwitchCode};
use crate::run::{Run, Step, Stop};
use crate::value::{Scalar, Shadow, Value, mask};
use crate::{Alternative, ConstraintKind, Demand};

impl Run<'_, '_> {
    /// Which way a branch goes.
    pub fn branch(&mut self, value: Value, scalar: Scalar) -> Step<bool> {
        let value = match scalar.pointer {
            true => self.tested_pointer(value)?,
            false => self.tested_number(value)?,
        };
        let taken = value.bits != 0;
        match value.shadow {
            Shadow::Term(term) => {
                let condition = self.terms.is_nonzero(term);
                self.decide(ConstraintKind::Branch, condition, taken);
            }
            Shadow::Tainted(_) => self.depends_on_address("a branch"),
            _ => {}
        }
        Ok(taken)
    }

    /// Which arm a switch takes; the number of arms stands for the default.
    pub fn switch(&mut self, number: u32, operand: Source) -> Step<usize> {
        let code = self.code;
        let switch = &code.switches[number as usize];
        let raw = self.read(operand);
        let value = self.used(raw)?;
        let scalar = switch.scalar;
        let at = crate::value::number(value.bits, scalar.bits(), scalar.signed);
        let inside = |low: i128, high: i128| {
            if scalar.signed {
                low <= at && at <= high
            } else {
                low as u128 <= at as u128 && at as u128 <= high as u128
            }
        };
        let arm = switch
            .arms
            .iter()
            .position(|&(low, high, _)| inside(low, high))
            .unwrap_or(switch.arms.len());
        match value.shadow {
            Shadow::Term(term) => self.constrain_switch((number, switch), term, arm),
            Shadow::Tainted(_) | Shadow::Pointer(..) => self.depends_on_address("a switch"),
            _ => {}
        }
        Ok(arm)
    }

    fn constrain_switch(&mut self, switch: (u32, &SwitchCode), operand: Term, taken: usize) {
        let known = self.switches.get(switch.0, operand);
        let conditions = known.unwrap_or_else(|| {
            let conditions = self.ways_of_switch(switch.1, operand);
            self.switches.keep(switch.0, operand, conditions)
        });
        let alternatives = conditions
            .iter()
            .enumerate()
            .filter(|&(way, &condition)| {
                way != taken && self.terms.as_bool(condition) != Some(false)
            })
            .map(|(way, &condition)| Alternative {
                way: way as u32,
                demand: Demand::Term(condition),
            })
            .collect();
        self.constrain(
            ConstraintKind::Branch,
            conditions[taken],
            taken as u32,
            alternatives,
        );
    }

    /// The condition of each arm, and of none, which is the default's.
    fn ways_of_switch(&mut self, switch: &SwitchCode, operand: Term) -> Vec<Term> {
        let mut conditions = Vec::with_capacity(switch.arms.len() + 1);
        let mut none = self.terms.bool(true);
        for &(low, high, _) in &switch.arms {
            let inside = self.in_range(operand, switch.scalar, low, high);
            conditions.push(inside);
            let outside = self.terms.bool_not(inside);
            none = self.terms.bool_and(none, outside);
        }
        conditions.push(none);
        conditions
    }

    fn in_range(&mut self, operand: Term, scalar: Scalar, low: i128, high: i128) -> Term {
        let width = scalar.bits();
        let constant =
            |run: &mut Self, value: i128| run.terms.constant(width, value as u128 & mask(width));
        let (low_term, high_term) = (constant(self, low), constant(self, high));
        if low == high {
            return self.terms.eq(operand, low_term);
        }
        let (above, below) = if scalar.signed {
            (
                self.terms.sle(low_term, operand),
                self.terms.sle(operand, high_term),
            )
        } else {
            (
                self.terms.ule(low_term, operand),
                self.terms.ule(operand, high_term),
            )
        };
        self.terms.bool_and(above, below)
    }

    /// Goes on only if the value is not zero.
    pub fn assume(&mut self, value: Value) -> Step<()> {
        let value = self.used(value)?;
        let holds = value.bits != 0;
        match value.shadow {
            Shadow::Term(term) => {
                let condition = self.terms.is_nonzero(term);
                self.decide(ConstraintKind::Assumption, condition, holds);
            }
            Shadow::Tainted(_) => self.depends_on_address("an assumption"),
            _ => {}
        }
        if holds { Ok(()) } else { Err(Stop::Rejected) }
    }
}
