//! Messages to the user: what happened, where, and what to do about it.

use annotate_snippets::{AnnotationKind, Group, Level, Origin, Renderer, Snippet};

use crate::sources::{Lines, SourceRange, Sources};

/// How serious a message is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Severity {
    /// attest or its input failed.
    Error,
    /// A result will be worse than it could be.
    Warning,
    /// The tested program is at fault.
    Defect,
}

/// A message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    severity: Severity,
    title: String,
    places: Vec<(SourceRange, String)>,
    notes: Vec<String>,
    help: Option<String>,
}

impl Message {
    /// A message of one sentence.
    pub fn new(severity: Severity, title: impl Into<String>) -> Self {
        Message {
            severity,
            title: title.into(),
            places: Vec::new(),
            notes: Vec::new(),
            help: None,
        }
    }

    /// Shows a piece of source, the first one as the place of the matter; the label stands beside
    /// it.
    #[must_use]
    pub fn at(mut self, place: SourceRange, label: impl Into<String>) -> Self {
        self.places.push((place, label.into()));
        self
    }

    /// Adds something worth knowing.
    #[must_use]
    pub fn note(mut self, note: impl Into<String>) -> Self {
        self.notes.push(note.into());
        self
    }

    /// Says what to do.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// The message as text, coloured if `renderer` is.
    pub fn render(&self, sources: &mut Sources, renderer: &Renderer) -> String {
        let lines: Vec<Option<Lines>> = self
            .places
            .iter()
            .map(|(place, _)| sources.lines(place))
            .collect();
        let level = match self.severity {
            Severity::Error => Level::ERROR,
            Severity::Warning => Level::WARNING,
            Severity::Defect => Level::ERROR.with_name("defect"),
        };
        let mut group = Group::with_title(level.primary_title(self.title.as_str()));
        for ((place, label), lines) in self.places.iter().zip(&lines) {
            group = with_place(group, place, label, lines.as_ref());
        }
        for note in &self.notes {
            group = group.element(Level::NOTE.message(note.as_str()));
        }
        if let Some(help) = &self.help {
            group = group.element(Level::HELP.message(help.as_str()));
        }
        renderer.render(&[group])
    }
}

/// Adds the excerpt of a place, or only its name when its text is not at hand.
fn with_place<'a>(
    group: Group<'a>,
    place: &'a SourceRange,
    label: &'a str,
    lines: Option<&'a Lines>,
) -> Group<'a> {
    match lines {
        None => group.element(
            Origin::path(place.path.as_str())
                .line(place.begin.0 as usize)
                .char_column(place.begin.1 as usize),
        ),
        Some(lines) => {
            let mut annotation = AnnotationKind::Primary.span(lines.covered.clone());
            if !label.is_empty() {
                annotation = annotation.label(label);
            }
            let snippet = Snippet::source(lines.text.as_str())
                .line_start(lines.first)
                .path(place.path.as_str());
            group.element(snippet.annotation(annotation))
        }
    }
}

#[cfg(test)]
mod tests {
    use annotate_snippets::Renderer;

    use super::{Message, Severity};
    use crate::sources::{SourceRange, Sources};

    fn place(path: &str) -> SourceRange {
        SourceRange {
            path: path.to_owned(),
            begin: (2, 12),
            end: (2, 13),
        }
    }

    #[test]
    fn a_message_shows_its_source() {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(&file, "int f(int x) {\n    return 1/x;\n}\n").unwrap();
        let path = file.path().to_str().unwrap();
        let message = Message::new(Severity::Defect, "division by zero")
            .at(place(path), "x is 0")
            .help("attest replay DIR");
        let text = message.render(&mut Sources::default(), &Renderer::plain());
        expect_test::expect![[r#"
            defect: division by zero
             --> x.c:2:12
              |
            2 |     return 1/x;
              |            ^ x is 0
              |
              = help: attest replay DIR"#]]
        .assert_eq(&text.replace(path, "x.c"));
    }

    #[test]
    fn a_message_without_its_source_names_the_place() {
        let message = Message::new(Severity::Error, "unknown type").at(place("gone.c"), "");
        let text = message.render(&mut Sources::default(), &Renderer::plain());
        expect_test::expect![[r#"
            error: unknown type
            --> gone.c:2:12"#]]
        .assert_eq(&text);
    }
}
