//! Pragmas of a unit that would also apply to the tests after it.

/// The settings that a unit's pragmas may change for the text after it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Pragmas {
    /// How members lie in records: `#pragma pack`.
    pub pack: bool,
    /// Which warnings there are, and which of them are errors: `#pragma GCC diagnostic`.
    pub diagnostic: bool,
}

impl Pragmas {
    /// Those that may be in a file's text.
    pub fn of_text(text: &str) -> Pragmas {
        let has = |word| {
            let mut pragmas = text.lines().filter(|line| line.contains("ragma"));
            pragmas.any(|line| line.contains(word))
        };
        Pragmas {
            pack: has(" pack") || has("\"pack"),
            diagnostic: has("diagnostic"),
        }
    }

    /// Those of either.
    pub fn or(self, other: Pragmas) -> Pragmas {
        Pragmas {
            pack: self.pack || other.pack,
            diagnostic: self.diagnostic || other.diagnostic,
        }
    }

    /// The text before the unit. Clang warns of units that leave a packing behind.
    pub fn saved(self) -> String {
        let mut text = String::new();
        if self.diagnostic || self.pack {
            text.push_str("\n#pragma GCC diagnostic push\n");
        }
        if self.pack {
            text.push_str("#pragma pack(push, attest)\n");
            text.push_str("#if defined(__clang__)\n#pragma clang diagnostic ignored \"-Wpragma-pack\"\n#endif\n");
        }
        text
    }

    /// The text after it.
    pub fn restored(self) -> String {
        let mut text = String::new();
        if self.pack {
            text.push_str("#pragma pack(pop, attest)\n");
        }
        if self.diagnostic || self.pack {
            text.push_str("#pragma GCC diagnostic pop\n");
        }
        text
    }
}
