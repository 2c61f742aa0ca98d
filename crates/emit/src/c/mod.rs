//! C text: values, objects, stubs and test functions.

pub mod apart;
mod arguments;
mod changes;
mod checks;
pub mod defects;
mod drawing;
mod exports;
pub mod file;
mod initializer;
pub mod literal;
mod macros;
mod names;
pub mod objects;
mod plain;
pub mod pragmas;
pub mod prefix;
mod records;
mod renaming;
pub(crate) mod runs;
mod scene;
pub mod sequence;
mod sized;
mod spelling;
mod storage;
pub mod stubs;
mod test_function;
pub mod units;
mod unwritten;
mod wrap;

pub(crate) use names::identifier;
