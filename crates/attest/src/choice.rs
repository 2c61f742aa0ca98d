//! A choice of functions, as options give it: `auto`, `off`, or their names.

/// A choice of functions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Choice {
    /// Those that attest picks.
    Auto,
    /// None.
    Off,
    /// These.
    Named(Vec<String>),
}

impl Choice {
    /// Reads `auto`, `off`, or names with commas between them.
    pub fn read(text: &str) -> Result<Choice, String> {
        match text {
            "auto" => Ok(Choice::Auto),
            "off" => Ok(Choice::Off),
            names => {
                let names: Vec<String> = names
                    .split(',')
                    .map(|name| name.trim().to_owned())
                    .collect();
                match names.iter().any(String::is_empty) {
                    true => Err("write auto, off, or names with commas between them".to_owned()),
                    false => Ok(Choice::Named(names)),
                }
            }
        }
    }
}
