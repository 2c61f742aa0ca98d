//! The reasons why a command fails.

use crate::message::{Message, Severity};
use crate::sources::SourceRange;
use crate::status::Status;

/// A failure: the messages for the user, and the exit status.
#[derive(Clone, Debug)]
pub struct Failure {
    /// The exit status of the process.
    pub status: Status,
    /// The messages; never empty.
    pub messages: Vec<Message>,
}

impl Failure {
    /// The input or the arguments are unusable; `help` says what to do.
    pub fn bad_input(title: impl Into<String>, help: impl Into<String>) -> Self {
        Failure {
            status: Status::BadInput,
            messages: vec![Message::new(Severity::Error, title).help(help)],
        }
    }

    /// The same of a place in the input.
    pub fn bad_input_at(
        title: impl Into<String>,
        place: SourceRange,
        help: impl Into<String>,
    ) -> Self {
        let message = Message::new(Severity::Error, title).at(place, "");
        Failure {
            status: Status::BadInput,
            messages: vec![message.help(help)],
        }
    }

    /// The same, said of the work on a function.
    #[must_use]
    pub fn of_function(mut self, name: &str) -> Self {
        let messages = self.messages.into_iter();
        self.messages = messages
            .map(|message| message.note(format!("this is about the function `{name}`")))
            .collect();
        self
    }

    /// attest failed.
    pub fn internal(title: impl Into<String>) -> Self {
        Failure {
            status: Status::Failed,
            messages: vec![
                Message::new(Severity::Error, title)
                    .help("this is a defect of attest; please report it with the C file"),
            ],
        }
    }
}
