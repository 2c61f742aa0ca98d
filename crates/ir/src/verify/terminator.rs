//! Terminators.

use super::Invariant;
use super::body::BodyChecker;
use crate::{
    BranchTag, Callee, DecisionId, DecisionKind, FunctionType, IntType, Operand, Place, SwitchArm,
    Terminator, Type, TypeId,
};

impl BodyChecker<'_> {
    pub fn terminator(&mut self, terminator: &Terminator) {
        for block in terminator.successors() {
            self.target(block, "the terminator");
        }
        match terminator {
            Terminator::Branch { operand, tag, .. } => {
                let ty = self.scalar(operand);
                let types = self.typing.types;
                let tested =
                    ty.is_none_or(|ty| types.int(ty).is_some() || types.pointee(ty).is_some());
                self.demand(tested, Invariant::Operators, || {
                    "a branch on what is neither integer nor pointer".to_owned()
                });
                if let Some(tag) = tag {
                    self.tag(tag);
                }
            }
            Terminator::Switch {
                operand,
                arms,
                decision,
                ..
            } => self.switch(operand, arms, *decision),
            Terminator::Call {
                callee,
                arguments,
                destination,
                ..
            } => self.call(callee, arguments, destination.as_ref()),
            Terminator::Return(value) => self.result(value.as_ref()),
            Terminator::Goto(_) | Terminator::Unreachable | Terminator::Unsupported { .. } => {}
        }
    }

    fn tag(&mut self, tag: &BranchTag) {
        let exists = tag.condition.index() < self.body.conditions.len();
        self.demand(exists, Invariant::Ids, || {
            format!("the condition {} does not exist", tag.condition)
        });
        if exists {
            self.outcomes(tag);
        }
    }

    fn switch(&mut self, operand: &Operand, arms: &[SwitchArm], decision: DecisionId) {
        match self.body.decisions.get(decision) {
            None => self.fail(Invariant::Ids, format!("{decision} does not exist")),
            Some(data) => {
                let switch = data.kind == DecisionKind::Switch;
                self.demand(switch, Invariant::Switches, || {
                    format!("{decision} is no switch")
                });
                let sides = data.sides.len();
                self.demand(sides == arms.len() + 1, Invariant::Switches, || {
                    format!("{} arms and a default, but {sides} sides", arms.len())
                });
                let defaults = data.sides.iter().map(|side| side.values.is_none());
                let last = defaults.rev().eq((0..sides).map(|position| position == 0));
                self.demand(last, Invariant::Switches, || {
                    "the default is not the last of the sides".to_owned()
                });
            }
        }
        let Some(ty) = self.integer(operand) else {
            return;
        };
        if let Some(int) = self.typing.types.int(ty) {
            self.arms(arms, int);
        }
    }

    fn arms(&mut self, arms: &[SwitchArm], int: IntType) {
        // Adding half of the range makes the order of signed values that of their bits.
        let order = |bits: u128| match int.signed {
            true => bits ^ 1 << (int.width - 1),
            false => bits,
        };
        let fits = |bits: u128| int.width >= 128 || bits >> int.width == 0;
        let good = arms.iter().all(|arm| fits(arm.low) && fits(arm.high));
        self.demand(good, Invariant::Switches, || {
            "an arm does not fit the operand".to_owned()
        });
        let mut ranges: Vec<(u128, u128)> = arms
            .iter()
            .map(|arm| (order(arm.low), order(arm.high)))
            .collect();
        let upward = ranges.iter().all(|(low, high)| low <= high);
        self.demand(upward, Invariant::Switches, || {
            "the range of an arm is empty".to_owned()
        });
        ranges.sort_unstable();
        let apart = ranges.windows(2).all(|pair| pair[0].1 < pair[1].0);
        self.demand(apart, Invariant::Switches, || "arms overlap".to_owned());
    }

    fn call(&mut self, callee: &Callee, arguments: &[Operand], destination: Option<&Place>) {
        let types: Vec<Option<TypeId>> = arguments
            .iter()
            .map(|argument| self.operand(argument))
            .collect();
        if let Some(place) = destination {
            self.place(place);
        }
        let Some(ty) = self.callee(callee) else {
            return;
        };
        let (given, wanted) = (arguments.len(), ty.parameters.len());
        let enough = given == wanted || ty.variadic && given > wanted;
        self.demand(enough, Invariant::Calls, || {
            format!("{given} arguments for {wanted} parameters")
        });
        for (position, (given, &wanted)) in types.iter().zip(&ty.parameters).enumerate() {
            if given.is_some_and(|given| !self.agree(given, wanted)) {
                self.fail(
                    Invariant::Calls,
                    format!("argument {position} has another type"),
                );
            }
        }
        let Some(place) = destination else { return };
        if self.typing.types.get(place.ty).is_some() && !self.agree(ty.result, place.ty) {
            let (result, place) = (self.name(ty.result), self.name(place.ty));
            self.fail(
                Invariant::Calls,
                format!("a result of {result} goes to {place}"),
            );
        }
    }

    /// The type that a call is made at.
    fn callee(&mut self, callee: &Callee) -> Option<FunctionType> {
        let types = self.typing.types;
        let ty = match callee {
            Callee::Direct(function) => {
                let function = self.program.functions.get(*function);
                self.demand(function.is_some(), Invariant::Ids, || {
                    "the called function does not exist".to_owned()
                });
                Some(function?.ty)
            }
            Callee::Indirect(operand) => types.pointee(self.scalar(operand)?),
        };
        let function = ty.and_then(|ty| match types.kind(ty) {
            Type::Function(function) => Some(function.clone()),
            _ => None,
        });
        self.demand(function.is_some(), Invariant::Calls, || {
            "what is called is no function".to_owned()
        });
        function
    }

    fn result(&mut self, value: Option<&Operand>) {
        let Some(value) = value else { return };
        let (Some(given), Some(wanted)) = (self.operand(value), self.ty.map(|ty| ty.result)) else {
            return;
        };
        if !self.agree(given, wanted) {
            let (given, wanted) = (self.name(given), self.name(wanted));
            self.fail(
                Invariant::Returns,
                format!("{given} is returned as {wanted}"),
            );
        }
    }
}
