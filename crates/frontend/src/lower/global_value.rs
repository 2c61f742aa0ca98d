//! Initial values of static objects, as clang evaluated them.

use ir::{ConstantValue, GlobalId, Initializer, Relocation};

use super::initializer::parse_bytes;
use super::unit::UnitLowering;
use crate::ast::{self, ConstantData, RelocationTarget, VariableDecl};

impl UnitLowering<'_> {
    /// The initial value of an object; `None` if it is only declared.
    pub(super) fn initializer(
        &mut self,
        id: GlobalId,
        decl: &VariableDecl,
    ) -> Result<Option<Initializer>, String> {
        if !decl.defined {
            return Ok(None);
        }
        match &decl.init {
            None => Ok(Some(Initializer::default())),
            Some(ConstantData::Unsupported(reason)) => {
                self.take_as_unknown(id, decl, reason);
                Ok(Some(Initializer::default()))
            }
            Some(ConstantData::Data {
                bytes,
                open,
                relocations,
            }) => {
                let unreadable = || format!("bytes of {}", decl.name);
                let relocations = relocations.iter().map(|each| self.relocation(each));
                let mut relocations = relocations.collect::<Result<Vec<_>, String>>()?;
                relocations.sort_by_key(|relocation| relocation.offset);
                Ok(Some(Initializer {
                    bytes: parse_bytes(bytes).ok_or_else(unreadable)?,
                    open: parse_bytes(open).ok_or_else(unreadable)?,
                    relocations,
                }))
            }
        }
    }

    /// Records that the initial value of an object is not known.
    fn take_as_unknown(&mut self, id: GlobalId, decl: &VariableDecl, reason: &str) {
        let span = decl.span.map(|span| self.span(span));
        let message = format!(
            "the initial value of `{}` is not known: {reason}",
            decl.name
        );
        self.diagnose(message, None, span.as_ref());
        let construct = format!("the initial value of `{}` ({reason})", decl.name);
        self.unknown_values.insert(id, construct);
    }

    fn relocation(&self, relocation: &ast::Relocation) -> Result<Relocation, String> {
        let target = match relocation.target {
            RelocationTarget::Variable(index) => ConstantValue::Global {
                global: self
                    .global(index)
                    .ok_or_else(|| format!("variable {index}"))?,
                offset: relocation.addend,
            },
            RelocationTarget::Function(index) => ConstantValue::Function(
                self.function(index)
                    .ok_or_else(|| format!("function {index}"))?,
            ),
        };
        Ok(Relocation {
            offset: relocation.offset,
            target,
        })
    }
}
