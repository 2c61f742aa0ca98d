//! The integer constants that code mentions.

use ir::{ConstantValue, Operand, Origin, Program, Terminator};

use crate::operands::operands;

/// The constants of the user's functions, and the bounds of the cases of their switches, in any
/// order.
pub fn integers(program: &Program) -> impl Iterator<Item = u128> + '_ {
    let functions = program.functions.iter_enumerated();
    let of_user = functions.filter(|(id, _)| program.origin(*id) == Origin::User);
    let bodies = of_user.filter_map(|(_, function)| function.body.as_ref());
    bodies.flat_map(|body| {
        let constants = operands(body).filter_map(|operand| match operand {
            Operand::Constant(constant) => match constant.value {
                ConstantValue::Int(value) => Some(value),
                _ => None,
            },
            Operand::Copy(_) => None,
        });
        let cases = body
            .blocks
            .iter()
            .flat_map(|block| match &block.terminator {
                Terminator::Switch { arms, .. } => {
                    arms.iter().flat_map(|arm| [arm.low, arm.high]).collect()
                }
                _ => Vec::new(),
            });
        constants.chain(cases)
    })
}
