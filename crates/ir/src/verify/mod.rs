//! Checks the invariants of programs that all other crates rely on.
//!
//! The invariants, one [`Invariant`] each:
//!
//! 1. **Ids.** Every id refers to an entry of its table: types, records, enums, functions, globals,
//!    units, files, locals, blocks, spans, decisions, conditions. Integer types
//!    have 8 to 128 bits.
//! 2. **Signatures.** A function has a function type. If it has a body, it has a parameter name (or
//!    none) for each parameter type, its first locals are the parameters with these types, no
//!    others are parameters, and there is at least one block. Locals and globals are objects: not
//!    `void`, not functions. Only local arrays of open length are given one.
//! 3. **Constants.** A constant is scalar and its value fits its type: integers and addresses of
//!    pointer type have no bits above the width, `_Bool` is 0 or 1, addresses of globals and
//!    functions are pointers, floating bits have a floating type.
//! 4. **Operators.** Operand types match operators: arithmetic on integers of one type, shifts on
//!    integers of any two types, comparisons on integers of one type or on pointers, pointer
//!    operations on pointers and integers, casts between what their kind says.
//! 5. **Assignments.** What is assigned has the type of the place; a comparison gives `int`.
//! 6. **Scalars.** Operands of record, array or other types that are no scalars appear only in
//!    `Use`, as arguments and as results.
//! 7. **Places.** Only pointers are dereferenced; `Field` has a record and an index in it; `Index`
//!    has an array and an integer; a bit-field is the last step; the type of the place is that of
//!    its last step. (After a plain dereference it may be another one: an access through a cast.)
//! 8. **Addresses.** No address is taken of a bit-field, and a local whose address is taken says
//!    so.
//! 9. **Decisions.** Each condition belongs to the decision whose formula has it, each formula has
//!    each of its conditions, in one place, and switches have none.
//! 10. **Tags.** Outcomes of a branch's tag are what the formula gives when the condition has been
//!     evaluated from left to right. A condition has at least one branch, unless the function has
//!     an unsupported construct, which may stand for it.
//! 11. **Switches.** The operand is an integer, arms are ranges that do not overlap and that fit
//!     its type, and the decision is a `switch` with one side for each arm and one for the default.
//! 12. **Calls.** The callee has a function type or a pointer to one; there are as many arguments
//!     as parameters, or more for a variadic function; their types and that of the destination
//!     agree with it.
//! 13. **Returns.** The type of a returned value is that of the function's result; a function with
//!     a result may also return none (falling off its end), one without never returns a value.
//! 14. **Temporaries.** A temporary is assigned on every path before it is read.
//! 15. **Initial values.** They fit the global's type, save for a flexible array at its end.
//!     Relocations are pointers inside it, in order and apart from each other.
//!
//! Types agree if they are equal, or if C lets values of one be used as the other without a
//! conversion: qualifiers of pointees, enums and their underlying types, array lengths and
//! unprototyped functions behind pointers make no difference, nor do records of one name from
//! different units.
//!
//! There are no aggregate constants, and so nothing to check about them.

mod agreement;
mod body;
mod decisions;
mod globals;
mod place;
mod rvalue;
mod temporaries;
mod terminator;
mod types;

use std::fmt;

use crate::{Block, FunctionId, Program};

/// An invariant of programs; the module's documentation describes each.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)] // explained above, in this order
pub enum Invariant {
    Ids,
    Signatures,
    Constants,
    Operators,
    Assignments,
    Scalars,
    Places,
    Addresses,
    Decisions,
    Tags,
    Switches,
    Calls,
    Returns,
    Temporaries,
    InitialValues,
}

/// Where a program breaks an invariant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// The invariant.
    pub invariant: Invariant,
    /// The function, if it is in one.
    pub function: Option<FunctionId>,
    /// The block, if it is in one.
    pub block: Option<Block>,
    /// The statement of the block; its number of statements stands for the terminator.
    pub statement: Option<usize>,
    /// What is wrong.
    pub message: String,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(function) = self.function {
            write!(f, "{function} ")?;
        }
        if let Some(block) = self.block {
            write!(f, "{block}")?;
            match self.statement {
                Some(statement) => write!(f, "[{statement}] ")?,
                None => write!(f, " ")?,
            }
        }
        write!(f, "{:?}: {}", self.invariant, self.message)
    }
}

/// Checks all invariants.
///
/// # Errors
/// Every violation that was found. When ids are out of range, what depends on them is not checked
/// any further.
pub fn verify(program: &Program) -> Result<(), Vec<Violation>> {
    let mut violations = types::check(program);
    if violations.is_empty() {
        violations.extend(globals::check(program));
        for (id, function) in program.functions.iter_enumerated() {
            violations.extend(body::check(program, id, function));
        }
    }
    if violations.is_empty() {
        Ok(())
    } else {
        Err(violations)
    }
}
