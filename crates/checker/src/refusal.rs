//! Why a proof is refused.

use ir::Span;

/// The reason for which a proof is not accepted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// What fails, as the end of "refused: …".
    pub why: String,
    /// Where in the source.
    pub span: Option<Span>,
    /// Whether the checker does not know something that the proof rests on; it may hold nevertheless.
    pub is_lack: bool,
}

impl Refusal {
    /// The checker does not know something that the proof rests on.
    pub fn needs(what: impl Into<String>) -> Refusal {
        Refusal {
            why: format!("needs {}", what.into()),
            span: None,
            is_lack: true,
        }
    }

    /// The certificate says something that does not fit the program.
    pub fn bad(what: impl Into<String>) -> Refusal {
        Refusal {
            why: what.into(),
            span: None,
            is_lack: false,
        }
    }

    /// The same, at a place of the source.
    pub fn at(self, span: Option<Span>) -> Refusal {
        Refusal { span, ..self }
    }
}
