//! A test in `suite.json`.

use std::collections::BTreeMap;

use ir::logical::Cells;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::AssumptionRecord;
use crate::inputs::Value;

/// A test: its input, how it ends, and what it covers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TestRecord {
    /// Its number, which is its position.
    pub id: usize,
    /// Values by C access path: `p`, `p[0].next`, `*q`, `counter`, `read_sensor#2`.
    pub inputs: BTreeMap<String, Value>,
    /// The same inputs by logical address, to be made again; zeros are left out. An object is
    /// `argument 0`, `global NAME`, `result FUNCTION NTH`, `declared NAME NTH`, `allocation NTH` or
    /// `*(CELL)`; a cell is `OBJECT+BIT:WIDTH`; a value is a number, `NULL`, `new`, `function NAME`
    /// or `&OBJECT+BYTE`.
    #[serde(default)]
    pub cells: Cells,
    /// What functions without a body are given, by call and name, as far as that is determined:
    /// `send#1: text` is the text that the first call gets.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub given: BTreeMap<String, Value>,
    /// How it ends.
    #[serde(flatten)]
    pub outcome: OutcomeRecord,
    /// Whether it depends on values that no test can set for sure, such as old contents of the
    /// stack: the compiled test may take another path.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unsure: bool,
    /// The path that it takes, if the criterion asks for paths: conditions and switches by their
    /// lines, with `[…]` for a decision with what it chooses among, `(…)` for a loop, `{…}` for a
    /// call, `<…>` for a disjunction and `«…»` for a conjunction.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// Whether the compiled test takes the same path as the machine, by the outcomes of all its
    /// conditions and switches in order; absent where that was not compared.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path_confirmed: Option<bool>,
    /// What of its inputs callers need not pass, where no other input that was tried reaches its
    /// goals.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rests_on: Vec<AssumptionRecord>,
    /// The goals that it reaches.
    #[serde(default)]
    pub covers: Vec<usize>,
}

/// How a test ends.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "outcome", rename_all = "kebab-case")]
pub enum OutcomeRecord {
    /// The function returned.
    Return,
    /// The process exited.
    Exit {
        /// Its exit status, if it is known.
        #[serde(skip_serializing_if = "Option::is_none")]
        exit_status: Option<i32>,
    },
    /// The execution ended in a defect.
    Defect,
    /// An assumption did not hold.
    Rejected,
    /// The execution reached code that attest cannot execute.
    Unsupported,
    /// The execution hit a limit.
    LimitReached,
    /// The behaviour of the execution depends on where objects lie in memory.
    AddressDependent,
}
