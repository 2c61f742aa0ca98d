//! Newtype identifiers: every table of a [`crate::Program`] is indexed by a type of its own.

macro_rules! id {
    ($(#[$doc:meta])* $name:ident, $prefix:literal) => {
        index_vec::define_index_type! {
            $(#[$doc])*
            pub struct $name = u32;
            DISPLAY_FORMAT = concat!($prefix, "{}");
            DEBUG_FORMAT = concat!($prefix, "{}");
            IMPL_RAW_CONVERSIONS = true;
        }
    };
}

id!(
    /// A source or header file of the program.
    FileId, "file"
);
id!(
    /// A type in [`crate::Types`]; equal types have equal ids.
    TypeId, "t"
);
id!(
    /// A `struct` or `union`.
    RecordId, "rec"
);
id!(
    /// An `enum`.
    EnumId, "enum"
);
id!(
    /// A function, with or without a body.
    FunctionId, "fn"
);
id!(
    /// An object of static storage duration: a global, a static local, a string literal.
    GlobalId, "g"
);
id!(
    /// An object of automatic storage duration, or a temporary, of one function.
    Local, "_"
);
id!(
    /// A basic block of one function; block 0 is the entry.
    Block, "bb"
);
id!(
    /// A decision of one function: a whole controlling expression, or a `switch`.
    DecisionId, "d"
);
id!(
    /// A condition of one function: a leaf of a decision's `&&`, `||` and `!`.
    ConditionId, "c"
);
id!(
    /// A statement of the C source of one function.
    SourceStatementId, "s"
);
id!(
    /// A region of one function: a decision with what it chooses among, or a loop.
    RegionId, "r"
);
id!(
    /// A label of one function: a condition that tests may be asked to make true.
    LabelId, "l"
);
id!(
    /// A binary operator of the source of one function.
    OperationId, "op"
);
id!(
    /// A piece of source that statements of one function refer to.
    SpanId, "at"
);
id!(
    /// A C file of the program, with all that it includes; models are a unit of their own.
    UnitId, "unit"
);
id!(
    /// An object of the logical input map, see [`crate::input::InputObject`].
    ObjectId, "obj"
);
id!(
    /// A scalar cell of the logical input map, see [`crate::input::InputCell`]. Its number is also
    /// that of the symbolic variable that stands for it.
    CellId, "cell"
);
id!(
    /// A test of a suite.
    TestId, "test"
);
