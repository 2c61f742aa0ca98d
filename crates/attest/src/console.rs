//! The destinations of messages and results.

use std::io::{self, IsTerminal, Write};

use annotate_snippets::Renderer;

use crate::failure::Failure;
use crate::message::Message;
use crate::sources::Sources;

/// Standard output for results, standard error for messages.
#[derive(Debug)]
pub struct Console {
    /// The source files, for excerpts.
    pub sources: Sources,
    on_error: Renderer,
    on_output: Renderer,
}

impl Console {
    /// A console that colours what goes to a terminal, unless `NO_COLOR` is set.
    pub fn new() -> Self {
        let colour = std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty());
        let renderer = |terminal: bool| match colour && terminal {
            true => Renderer::styled(),
            false => Renderer::plain(),
        };
        Console {
            sources: Sources::default(),
            on_error: renderer(io::stderr().is_terminal()),
            on_output: renderer(io::stdout().is_terminal()),
        }
    }

    /// Tells the user something on standard error. If that is closed, the message is lost.
    pub fn tell(&mut self, message: &Message) {
        let text = message.render(&mut self.sources, &self.on_error);
        let _ = writeln!(io::stderr().lock(), "{text}");
    }

    /// The text of a message that is part of a result.
    pub fn render(&mut self, message: &Message) -> String {
        message.render(&mut self.sources, &self.on_output)
    }

    /// Writes a result to standard output. A reader that closes the pipe (`| head`) is no failure.
    pub fn write(&mut self, bytes: &[u8]) -> Result<(), Failure> {
        let mut output = io::stdout().lock();
        match output.write_all(bytes).and_then(|()| output.flush()) {
            Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(Failure::bad_input(
                format!("cannot write to standard output: {error}"),
                "free some space, or send it elsewhere",
            )),
            _ => Ok(()),
        }
    }
}
