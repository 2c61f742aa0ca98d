//! Makes paths comparable that different tools wrote.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

/// Numbers files by what they are, however they are spelled.
#[derive(Clone, Debug, Default)]
pub struct Files {
    folder: PathBuf,
    by_spelling: HashMap<String, u32>,
    by_path: HashMap<PathBuf, u32>,
}

impl Files {
    /// Relative paths start from `folder`.
    pub fn new(folder: &Path) -> Self {
        Files {
            folder: folder.to_owned(),
            ..Files::default()
        }
    }

    /// The number of a file.
    pub fn number(&mut self, spelling: &str) -> u32 {
        if let Some(&number) = self.by_spelling.get(spelling) {
            return number;
        }
        let path = self.folder.join(spelling);
        let path = path.canonicalize().unwrap_or(path);
        let next = self.by_path.len() as u32;
        let number = *self.by_path.entry(path).or_insert(next);
        self.by_spelling.insert(spelling.to_owned(), number);
        number
    }
}
