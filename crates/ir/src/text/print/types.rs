//! Types in the text form.

use std::fmt::Write as _;

use super::{Printer, defaults, names, put, quote};
use crate::{IntType, Type, TypeId};

/// Lines of the list of types are not made longer than this.
const LINE: usize = 100;

impl Printer<'_> {
    /// The list of all types in order of their ids, with the layouts that are not the usual ones.
    pub(super) fn types(&mut self) {
        let program = self.program;
        let types = &program.types;
        let mut line = String::from("types ");
        for (id, info) in types.iter() {
            if id.raw() != 0 {
                line.push(',');
                if line.len() > LINE {
                    put!(self, "{line}\n");
                    line = String::from("  ");
                } else if id.raw() != 0 {
                    line.push(' ');
                }
            }
            line.push_str(&self.ty(id));
            if (info.size, info.align) != defaults::layout(&info.kind, types, &program.target) {
                let _ = write!(line, " size {} align {}", info.size, info.align);
            }
        }
        if types.iter().next().is_some() {
            put!(self, "{line}\n");
        }
    }

    pub(super) fn is_void(&self, ty: TypeId) -> bool {
        let info = self.program.types.get(ty);
        info.is_some_and(|info| info.kind == Type::Void)
    }

    pub(super) fn ty(&self, id: TypeId) -> String {
        let Some(info) = self.program.types.get(id) else {
            return id.to_string();
        };
        match &info.kind {
            Type::Void => "void".to_owned(),
            Type::Int(int) => self.int_type(*int),
            Type::Enum(def) => def.to_string(),
            Type::Float(name) => names::word(&names::FLOATS, *name).to_owned(),
            Type::Pointer {
                pointee,
                constant,
                volatile,
            } => {
                let constant = if *constant { "const " } else { "" };
                let volatile = if *volatile { "volatile " } else { "" };
                format!("*{constant}{volatile}{}", self.ty(*pointee))
            }
            Type::Array { element, length } => {
                let length = length.map_or("_".to_owned(), |length| length.to_string());
                format!("[{length} x {}]", self.ty(*element))
            }
            Type::Record(record) => record.to_string(),
            Type::Function(function) => {
                let mut parameters: Vec<String> =
                    function.parameters.iter().map(|&ty| self.ty(ty)).collect();
                if function.variadic {
                    parameters.push("...".to_owned());
                }
                let noreturn = match function.attributes.noreturn {
                    true => " noreturn ",
                    false => "",
                };
                let convention = function.attributes.convention.as_deref();
                let convention =
                    convention.map_or(String::new(), |name| format!(" {} ", quote(name)));
                let text = format!("fn{noreturn}{convention}({})", parameters.join(", "));
                if self.is_void(function.result) {
                    text
                } else {
                    format!("{text} -> {}", self.ty(function.result))
                }
            }
            Type::Unsupported(spelling) => format!("unsupported {}", quote(spelling)),
        }
    }

    pub(super) fn int_type(&self, int: IntType) -> String {
        let word = names::word(&names::INTS, int.name);
        if int == defaults::int(int.name, &self.program.target) {
            word.to_owned()
        } else {
            let sign = if int.signed { 's' } else { 'u' };
            format!("{word}:{sign}{}", int.width)
        }
    }
}
