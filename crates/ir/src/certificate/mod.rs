//! Proofs as data that others can check: what excludes each place, with nothing of how it was found.
//!
//! ```text
//! proof of a place
//!   points    where control passes again and again: a stack of calls, and a block
//!     formulas  each holds whenever control is at the point, over places of memory
//!   rounds    0: the formulas exclude the place; k: they do, after k passages without it
//!   checks    the defects behind which nothing is claimed
//! ```
//!
//! A formula is one term of SMT-LIB 2 (logic QF_BV) over the names of its variables. Each variable is
//! what a place holds where control is at the point.
//!
//! Proofs by a search that took all paths are in [`paths`].

pub mod paths;

use serde::{Deserialize, Serialize};

/// The proofs of a goal: one for each edge or block that covers it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GoalProof {
    /// The number of the goal in `suite.json`.
    pub goal: usize,
    /// The proofs.
    pub places: Vec<PlaceProof>,
}

/// A proof that no execution free of undefined behaviour reaches a place of the code.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlaceProof {
    /// The place.
    pub place: CodePlace,
    /// How many passages from point to point in a row do not reach the place before the next one
    /// does not either, for a proof by k-induction; 0 for a proof by invariants alone.
    pub rounds: u32,
    /// Whether it holds though functions without a body may call functions of the program.
    pub call_backs: bool,
    /// Whether it holds only if allocations never fail.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub allocations_succeed: bool,
    /// Whether it may rest on what nodes of the heap hold.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub nodes: bool,
    /// The calls that allocate an object each, instead of nodes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub heap: Vec<Allocation>,
    /// The points, of which each loop has one, but for loops of few rounds.
    pub points: Vec<Point>,
    /// The formulas that are enough to exclude the place.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub excluded_by: Premises,
    /// The defects that it rests on.
    pub checks: Vec<Check>,
}

/// A place of the code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct CodePlace {
    /// The number of the function in the program.
    pub function: u32,
    /// The block.
    pub block: u32,
    /// The edge out of the block, by the position of its successor; the end of the block if there is
    /// none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub successor: Option<u32>,
}

/// A point that control passes, at the start of a block.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Point {
    /// The blocks that end in the calls under way, from the entry function on.
    pub stack: Vec<u32>,
    /// The function, for people to read.
    pub function: String,
    /// The block of the function that the last call entered.
    pub block: u32,
    /// What holds whenever control is there.
    pub formulas: Vec<Formula>,
}

/// A condition.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Formula {
    /// The variables in it.
    pub variables: Vec<Variable>,
    /// A term of SMT-LIB 2 of sort Bool.
    pub term: String,
    /// The formulas that are enough for it to hold again.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub follows_from: Premises,
}

/// Formulas that something follows from: for each point of a proof, their positions among those of the
/// point. It is a hint, which may be left out: all formulas of a point may be used.
pub type Premises = Vec<Vec<usize>>;

/// A variable of a formula.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Variable {
    /// Its name in the term.
    pub name: String,
    /// How many bits it has.
    pub width: u32,
    /// What it stands for.
    #[serde(flatten)]
    pub is: Quantity,
}

/// What a variable stands for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "is", rename_all = "kebab-case")]
pub enum Quantity {
    /// The bits of an object from an offset on.
    Bits {
        /// The object.
        object: Object,
        /// The offset in bits.
        offset: u64,
    },
    /// The bits of the element at the index that is the same in the whole proof, and any.
    Element {
        /// The object that holds the elements.
        object: Object,
        /// The offset of the first one in bytes.
        first: u64,
        /// The distance from one to the next in bytes.
        stride: u64,
        /// How many there are.
        count: u64,
        /// Whether it is that at the second index.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        second: bool,
    },
    /// That index; for nodes of the heap, it is an address.
    Index,
    /// Another index that is the same in the whole proof, and any.
    SecondIndex,
    /// The bits of the node of the heap whose address is the index, from an offset on.
    Member {
        /// One of the calls that allocate such nodes.
        allocation: Allocation,
        /// The offset in bytes from the start of the node.
        offset: u64,
        /// Whether the node is that at the second index.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        second: bool,
    },
    /// A bit: whether a node is allocated whose address is the index.
    Allocated {
        /// One of the calls that allocate such nodes.
        allocation: Allocation,
        /// Whether the node is that at the second index.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        second: bool,
    },
    /// The index of the element that a pointer leads to.
    Position {
        /// The pointer.
        pointer: Object,
    },
}

/// A call that allocates memory. Which other calls allocate nodes that the same pointers lead to is
/// worked out from the program.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Allocation {
    /// The blocks that end in the calls under way, from the entry function on.
    pub stack: Vec<u32>,
    /// The function, for people to read.
    pub function: String,
    /// The block that ends in the call.
    pub block: u32,
}

/// An object.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Object {
    /// A local of a function that is under way.
    Local {
        /// How many calls are under way before it: 0 for the entry function.
        frame: u32,
        /// Its number in the function.
        local: u32,
    },
    /// A global.
    Global {
        /// Its number in the program.
        number: u32,
        /// Its name.
        name: String,
    },
    /// What a call allocates that is made once at most.
    Heap {
        /// The call.
        allocation: Allocation,
    },
}

/// A requirement of C that the proof takes to be met.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Check {
    /// The name of the defect where it is not met.
    pub defect: String,
    /// The number of the function.
    pub function: u32,
    /// The line, from 1.
    pub line: u32,
    /// The column, from 1.
    pub column: u32,
}
