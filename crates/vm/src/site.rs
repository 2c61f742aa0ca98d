//! Sites: places in the program, as others know them.

use ir::{Block, FunctionId};

/// A place in the program, where an execution could have taken another branch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Site {
    /// The function.
    pub function: FunctionId,
    /// The block.
    pub block: Block,
    /// The statement in the block; its number of statements stands for the terminator.
    pub statement: u32,
}

impl Site {
    /// The site before any statement of a function.
    pub(crate) fn first(function: FunctionId) -> Site {
        Site {
            function,
            block: Block::from_raw(0),
            statement: 0,
        }
    }
}
