//! Terminators: jumps, calls and returns.

use ir::{Callee, Operand, Terminator};

use crate::code::*;
use crate::prepare::nonnull::promises_nonnull;
use crate::prepare::{Preparer, Result, Unprepared, push};
use crate::value::Scalar;

impl Preparer<'_, '_> {
    pub(super) fn exit(&mut self, statements: usize) -> u32 {
        let (function, block) = (self.site.function, self.site.block);
        let exit = Exit {
            block: self.out.index.block(function, block),
            edge: self.out.index.edge(function, block, 0).raw(),
            steps: statements as u32 + 1,
        };
        push(&mut self.out.tables.exits, exit)
    }

    pub(super) fn terminator(
        &mut self,
        exit: u32,
        block: ir::Block,
        terminator: &Terminator,
    ) -> Result<()> {
        let op = match terminator {
            Terminator::Goto(target) => Op::Goto {
                exit,
                target: target.raw(),
            },
            Terminator::Branch { operand, then, .. } if terminator.is_probe() => Op::Probe {
                exit,
                scalar: self.number(self.operand_type(operand))?,
                operand: self.source(operand)?,
                next: then.raw(),
            },
            Terminator::Branch {
                operand,
                then,
                otherwise,
                ..
            } => Op::Branch {
                exit,
                scalar: self.number(self.operand_type(operand))?,
                operand: self.source(operand)?,
                then: then.raw(),
                otherwise: otherwise.raw(),
            },
            Terminator::Switch {
                operand,
                arms,
                default,
                ..
            } => {
                let scalar = self.number(self.operand_type(operand))?;
                let value = |bits| crate::value::number(bits, scalar.bits(), scalar.signed);
                let code = SwitchCode {
                    scalar,
                    arms: arms
                        .iter()
                        .map(|arm| (value(arm.low), value(arm.high), arm.target.raw()))
                        .collect(),
                    default: default.raw(),
                };
                let operand = self.source(operand)?;
                let switch = push(&mut self.out.tables.switches, code);
                Op::Switch {
                    exit,
                    operand,
                    switch,
                }
            }
            Terminator::Call { .. } => {
                let call = self.call(block, terminator)?;
                Op::Call { exit, call }
            }
            Terminator::Return(operand) => Op::Return {
                exit,
                value: match operand {
                    None => None,
                    Some(operand) => Some(self.returned(operand)?),
                },
            },
            Terminator::Unreachable => Op::Unreachable { exit },
            Terminator::Unsupported { construct, .. } => {
                let text = push(&mut self.out.tables.texts, construct.clone());
                Op::Unsupported { text }
            }
        };
        self.emit(op);
        Ok(())
    }

    pub(super) fn returned(&mut self, operand: &Operand) -> Result<ReturnCode> {
        let ty = self.operand_type(operand);
        match operand {
            Operand::Copy(local) if Scalar::of(self.types, ty).is_none() => {
                Ok(ReturnCode::Object(self.local_place(*local), ty))
            }
            _ if promises_nonnull(self.out.program, self.site.function) => {
                Ok(ReturnCode::NonNull(self.source(operand)?, self.scalar(ty)?))
            }
            _ => Ok(ReturnCode::Scalar(self.source(operand)?, self.scalar(ty)?)),
        }
    }

    pub(super) fn call(&mut self, block: ir::Block, terminator: &Terminator) -> Result<u32> {
        let Terminator::Call {
            callee,
            arguments,
            destination,
            next,
        } = terminator
        else {
            return Err(Unprepared("a call"));
        };
        let (callee, ty) = match callee {
            Callee::Direct(function) => (
                CalleeCode::Direct(*function),
                self.out.program.functions[*function].ty,
            ),
            Callee::Indirect(pointer) => {
                let pointer_type = self.operand_type(pointer);
                let ty = self.types.pointee(pointer_type);
                (
                    CalleeCode::Indirect(self.source(pointer)?),
                    ty.ok_or(Unprepared("a call through no pointer"))?,
                )
            }
        };
        let mut sources = Vec::with_capacity(arguments.len());
        for argument in arguments {
            let ty = self.operand_type(argument);
            sources.push(match argument {
                Operand::Copy(local) if !self.types.is_scalar(ty) => {
                    Argument::Object(self.local_place(*local), ty)
                }
                _ => Argument::Scalar(self.source(argument)?, self.scalar(ty)?, ty),
            });
        }
        let destination = match destination {
            None => Destination::Nowhere,
            Some(place) => match self.register_of(place) {
                Some(slot) => Destination::Slot(slot),
                None => Destination::Place(self.place(place)?),
            },
        };
        let code = CallCode {
            callee,
            arguments: sources,
            ty,
            destination,
            next: next.map(ir::Block::raw),
            closely: self.out.facts.closely.is_call(self.function, block),
        };
        Ok(push(&mut self.out.tables.calls, code))
    }
}
