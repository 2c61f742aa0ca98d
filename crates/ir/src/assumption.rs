//! What the report of a defect takes for granted about inputs that no declaration promises.

use std::fmt;

/// A kind of assumption.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum AssumptionKind {
    /// A pointer is NULL.
    Null,
    /// The object behind a pointer ends where it does in this input.
    Extent,
    /// An input gives the length of an array.
    Length,
    /// Two inputs lead to the same memory.
    Alias,
    /// An object does not come from the heap.
    NotHeap,
    /// Pointers lead to different objects.
    Apart,
    /// An integer is used as a pointer, or is added to one.
    Number,
    /// A size is larger than any object.
    Size,
    /// An object of an enumerated type holds none of its enumerators.
    Enumerator,
    /// A field or a global holds a value that no code of the program stores there.
    State,
    /// An allocation fails.
    Allocation,
    /// A function without a body returns or writes a value.
    UnknownResult,
    /// A caller passes such an input, though each part of it alone is plausible.
    Caller,
}

impl AssumptionKind {
    /// All kinds, in the order in which reports list them.
    pub const ALL: [AssumptionKind; 13] = [
        AssumptionKind::Null,
        AssumptionKind::Extent,
        AssumptionKind::Length,
        AssumptionKind::Alias,
        AssumptionKind::NotHeap,
        AssumptionKind::Apart,
        AssumptionKind::Number,
        AssumptionKind::Size,
        AssumptionKind::Enumerator,
        AssumptionKind::State,
        AssumptionKind::Allocation,
        AssumptionKind::UnknownResult,
        AssumptionKind::Caller,
    ];

    /// Its name in `suite.json`.
    pub fn name(self) -> &'static str {
        match self {
            AssumptionKind::Null => "null",
            AssumptionKind::Extent => "extent",
            AssumptionKind::Length => "length",
            AssumptionKind::Alias => "alias",
            AssumptionKind::NotHeap => "not-heap",
            AssumptionKind::Apart => "apart",
            AssumptionKind::Number => "number",
            AssumptionKind::Size => "size",
            AssumptionKind::Enumerator => "enumerator",
            AssumptionKind::State => "state",
            AssumptionKind::Allocation => "allocation",
            AssumptionKind::UnknownResult => "unknown-result",
            AssumptionKind::Caller => "caller",
        }
    }
}

impl fmt::Display for AssumptionKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// An assumption that a report rests on.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Assumption {
    /// Its kind.
    pub kind: AssumptionKind,
    /// The input or function that it is about, as C names it: `settings->max`. Reports with the
    /// same kind and subject have one cause.
    pub subject: String,
    /// The assumption in words: `settings may be NULL`.
    pub text: String,
}

impl Assumption {
    /// A pointer may be NULL.
    pub fn null(pointer: impl Into<String>) -> Self {
        let subject = pointer.into();
        let text = format!("{subject} may be NULL");
        Assumption {
            kind: AssumptionKind::Null,
            subject,
            text,
        }
    }

    /// An allocation of an execution fails, by its number from 0.
    pub fn failure(nth: u32) -> Self {
        let subject = crate::input::ordinal(nth);
        let text = format!("allocation {subject} may fail");
        Assumption {
            kind: AssumptionKind::Allocation,
            subject,
            text,
        }
    }

    /// A function without a body returns or writes what it does in one execution.
    pub fn of_result(function: &str) -> Self {
        let text = format!("{function}, whose code is not known, may return or write such values");
        Assumption {
            kind: AssumptionKind::UnknownResult,
            subject: function.to_owned(),
            text,
        }
    }

    /// An assumption in these words.
    pub fn new(kind: AssumptionKind, subject: impl Into<String>, text: impl Into<String>) -> Self {
        Assumption {
            kind,
            subject: subject.into(),
            text: text.into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::{Assumption, AssumptionKind};

    #[test]
    fn kinds_have_names_of_their_own() {
        let names: BTreeSet<&str> = AssumptionKind::ALL.iter().map(|kind| kind.name()).collect();
        assert_eq!(names.len(), AssumptionKind::ALL.len());
        assert!(AssumptionKind::ALL.is_sorted());
    }

    #[test]
    fn a_null_pointer_is_named() {
        let assumption = Assumption::null("p->next");
        assert_eq!(assumption.text, "p->next may be NULL");
    }
}
