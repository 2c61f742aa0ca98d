//! Branches and switches on values that depend on inputs.

use expr::Term;
use ir::CodeEdge;
use ir::test::LossKind;
use semantics::Concrete;

use crate::code::{Source, SwitchCode};
use crate::execution::{Alternative, ConstraintKind, Demand};
use crate::run::Run;
use crate::stop::{Flow, Stop};
use crate::value::{Scalar, Shadow, Value};

/// The most conditions of labels that an execution records.
const MOST_PROBES: usize = 1 << 14;

impl Run<'_, '_> {
    /// Which branch is taken.
    pub fn branch(&mut self, value: Value, scalar: Scalar) -> Flow<bool> {
        let value = match scalar.pointer {
            true => self.tested_pointer(value)?,
            false => self.tested_number(value)?,
        };
        let taken = semantics::branches(&mut Concrete, scalar.bits(), value.bits);
        match value.shadow {
            Shadow::Term(term) => {
                let condition = semantics::branches(self.terms, scalar.bits(), term);
                self.decide(ConstraintKind::Branch, condition, taken);
            }
            Shadow::Tainted(_) => self.depends_on_address("a branch"),
            _ => {}
        }
        Ok(taken)
    }

    /// Whether a condition holds on which nothing depends. Inputs that lead along the same path may
    /// differ in it.
    pub fn probe(&mut self, value: Value, scalar: Scalar, edge: u32) -> Flow<bool> {
        let value = self.tested_number(value)?;
        let holds = semantics::branches(&mut Concrete, scalar.bits(), value.bits);
        match value.shadow {
            Shadow::Term(term) => {
                let condition = semantics::branches(self.terms, scalar.bits(), term);
                if self.terms.as_bool(condition).is_none() {
                    self.note_probe(CodeEdge::from_raw(edge), condition);
                }
            }
            Shadow::Tainted(_) => self.depends_on_address("a label"),
            _ => {}
        }
        Ok(holds)
    }

    /// Records a condition of a label that depends on inputs.
    fn note_probe(&mut self, edge: CodeEdge, condition: Term) {
        let at = self.state.record.path.len();
        let known = &mut self.state.record.probes;
        if known.contains_key(&(edge, condition)) {
            return;
        }
        if known.len() < MOST_PROBES {
            known.insert((edge, condition), at);
        } else if !self.has_lost(LossKind::ChoiceLimit) {
            let detail = format!("more than {MOST_PROBES} values of labels");
            self.lose(LossKind::ChoiceLimit, detail);
        }
    }

    /// Which arm a switch takes; the number of arms stands for the default.
    pub fn switch(&mut self, number: u32, operand: Source) -> Flow<usize> {
        let code = self.code;
        let switch = &code.tables.switches[number as usize];
        let raw = self.read(operand);
        let value = self.used(raw)?;
        let scalar = switch.scalar;
        let ranges = switch.arms.iter().map(|&(low, high, _)| (low, high));
        let arm = semantics::quick::arm(scalar.integer(), value.bits, ranges)
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
            let ranges = switch.1.arms.iter().map(|&(low, high, _)| (low, high));
            let ty = switch.1.scalar.integer();
            let conditions = semantics::switch(self.terms, ty, operand, ranges);
            self.switches.keep(switch.0, operand, conditions)
        });
        let alternatives = conditions
            .iter()
            .enumerate()
            .filter(|&(number, &condition)| {
                number != taken && self.terms.as_bool(condition) != Some(false)
            })
            .map(|(number, &condition)| Alternative {
                number: number as u32,
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

    /// Goes on only if the value is not zero.
    pub fn assume(&mut self, value: Value) -> Flow<()> {
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
