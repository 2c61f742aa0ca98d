//! Lowering: clang's tree of one translation unit to an [`ir::Program`] of its own.
//!
//! Every function body becomes three-address code over a control-flow graph, with the decisions and
//! conditions of the source attached to the branches that evaluate them. A construct that attest
//! does not handle becomes [`ir::Terminator::Unsupported`] at its place and a diagnostic; the code
//! after it is lowered all the same. Evaluation goes from left to right, save that an assignment of
//! scalars evaluates its right side before its place, as clang does; or, to see if that matters, in
//! the reverse order.

mod assign;
mod bit_field;
mod builder;
mod builtin;
mod call;
mod cast;
mod cleanup;
mod decision;
mod expression;
mod function;
mod global_value;
mod initializer;
mod lengths;
mod mentions;
mod overflow;
mod place;
mod statement;
mod storage;
mod switch;
mod types;
mod unit;
mod visit;

use ir::{Origin, Program};

use crate::ast::{Alias, TranslationUnit};
use crate::diagnostic::Diagnostic;

/// The reason why a unit as a whole cannot be lowered.
#[derive(Debug, thiserror::Error)]
pub enum LowerError {
    /// The target's pointers have a width that attest does not handle.
    #[error("{triple} has pointers of {width} bits, which attest does not handle")]
    PointerWidth {
        /// Clang's triple.
        triple: String,
        /// The width of its pointers.
        width: u32,
    },
    /// The target's bytes are in an order that attest does not handle.
    #[error("{triple} is a big-endian target, which attest does not handle")]
    BigEndian {
        /// Clang's triple.
        triple: String,
    },
    /// The exported tree contradicts itself: an error of attest.
    #[error("the exported tree of {unit} is malformed: {what}")]
    Malformed {
        /// The unit.
        unit: String,
        /// What is wrong with it.
        what: String,
    },
}

/// A lowered unit.
#[derive(Debug)]
pub struct Lowered {
    /// The unit as a program.
    pub program: Program,
    /// The constructs in it that attest does not handle.
    pub diagnostics: Vec<Diagnostic>,
    /// The functions that run before `main` or when the program ends.
    pub startups: Vec<Startup>,
    /// Other names of its functions and objects that other units see.
    pub aliases: Vec<Alias>,
    /// Names that the linker knows by others.
    pub symbols: Vec<Alias>,
}

/// A function that runs before `main` or when the program ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Startup {
    /// Its name, which is unique in its unit.
    pub name: String,
    /// Those with lower numbers run earlier before `main`, and later at the end.
    pub priority: u32,
    /// When it runs.
    pub when: When,
}

/// The time at which a function runs that nothing calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum When {
    /// Before `main`.
    Before,
    /// When the program ends.
    AtEnd,
    /// At a time, and with arguments, that C does not know.
    Unknown,
}

/// The order in which operands and arguments are evaluated where C leaves it open (C17 6.5p3).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OperandOrder {
    /// As clang does.
    #[default]
    Clang,
    /// The reverse order: where this makes a difference, compilers may differ.
    Reversed,
}

/// Lowers one translation unit, which becomes the only unit of the program. The tables of a
/// program, but those of its bodies, are the same for each order of operands.
pub fn lower_unit(
    ast: &TranslationUnit,
    path: &str,
    origin: Origin,
    order: OperandOrder,
) -> Result<Lowered, LowerError> {
    let mut lowering = unit::UnitLowering::new(ast, path, origin)?;
    lowering.lower_bodies();
    if order != OperandOrder::Clang {
        lowering.order = order;
        lowering.lower_bodies();
    }
    Ok(lowering.finish())
}
