//! The program under test, as plain data.
//!
//! This crate holds three-address code over an explicit control-flow graph, in the vocabulary of
//! rustc's MIR ([`Place`], [`Operand`], [`Rvalue`], [`Statement`], [`Terminator`], [`Block`],
//! [`Local`]), together with the C types and layouts it is written against, the decisions and
//! conditions of the source attached to the branches that evaluate them, and the inputs and tests
//! of a function as data.
//!
//! What it deliberately does not know: how a program was made (`frontend`), how it runs (`vm`),
//! symbolic values (`expr`), and the coverage criterion of a search (`coverage`).

mod assumption;
mod body;
pub mod c_library;
pub mod certificate;
mod compatible;
mod constant;
mod control_flow;
mod defect;
pub mod effects;
mod formula;
pub mod graph;
mod ids;
pub mod input;
pub mod lengths;
pub mod library;
pub mod logical;
mod operation;
mod ordered_trace;
pub mod path;
mod program;
mod region;
pub mod sequence;
pub mod sharing;
mod source;
pub mod test;
pub mod text;
mod trace;
mod type_names;
mod types;
mod typing;
pub mod verify;

pub use assumption::*;
pub use body::*;
pub use constant::*;
pub use control_flow::*;
pub use defect::*;
pub use formula::*;
pub use ids::*;
pub use operation::*;
pub use ordered_trace::*;
pub use program::*;
pub use region::*;
pub use source::*;
pub use trace::*;
pub use types::*;
pub use typing::*;
pub use verify::verify;
