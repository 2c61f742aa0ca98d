//! The concolic machine: runs a program on one input, concretely and symbolically at once.
//!
//! Memory is Miri's: allocations with bytes, an initialised mask and provenance, at addresses
//! given out deterministically. Every value is concrete; symbolic terms are a shadow beside it, so
//! that what depends on no input pays nothing. An execution yields the path it took as a sequence
//! of [`Constraint`]s, what it visited, how it ended, and each loss of precision and each bound.
//!
//! What this crate deliberately does not know: solvers, searches, and coverage criteria. It never
//! decides where to go; the input does.

mod access;
mod address;
mod adjacent;
mod aliases;
mod arguments;
mod arithmetic;
mod at_exit;
mod beyond;
mod blame;
mod calls;
mod candidates;
mod choice;
mod code;
mod concrete;
mod config;
mod congruence;
mod constants;
mod context;
mod control;
mod elements;
mod execution;
mod exposed;
mod facts;
mod given;
mod ids;
mod input_provider;
mod inputs;
mod interpret;
mod lazy_initialisation;
mod leaks;
mod leaves;
mod lengths;
mod locale;
mod locals;
mod log;
mod machine;
mod mapped;
mod memory;
mod moved;
mod names;
mod native;
mod native_call;
mod nonnull;
mod nontermination;
mod objects;
mod observe;
mod open_ended;
mod order;
mod passed;
mod placed;
mod prepare;
mod primitives;
mod provenance;
mod replaced;
mod run;
mod shared_by_calls;
mod site;
mod state;
mod statics;
mod steps;
mod stop;
mod switches;
mod unit;
mod unknown;
mod unseen;
mod unsupported_parts;
mod unwritten;
mod used;
mod value;
mod volatile;
mod wrapping;
mod x87;

pub use concrete::{ConcreteExecution, ConcreteRun, Part, StateObserver};
pub use config::{CallPolicy, Config, Dependence};
pub use context::{Context, Contexts};
pub use execution::*;
pub use input_provider::{Defaults, InputProvider, Random, ZeroDefaults};
pub use machine::Machine;
pub use names::Names;
pub use native_call::{
    NativeCall, NativeEnd, NativeObject, NativeResult, NativeReturn, NativeValue, Natives,
    NoNatives, can_be_native,
};
pub use site::Site;
pub use unit::{TestedUnit, UnitPath, UnitPlace, WholeEdge};
