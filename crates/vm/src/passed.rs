//! Arguments and results of calls.

use crate::memory::Blob;
use crate::value::{Scalar, Value};

/// What is passed to a function or comes back from it.
#[derive(Clone, Debug)]
pub(crate) enum Passed {
    Nothing,
    Scalar(Value, Scalar),
    Object(Blob),
}
