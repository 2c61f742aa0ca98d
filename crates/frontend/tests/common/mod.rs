//! Help for tests that read C.

use std::path::{Path, PathBuf};

use frontend::{Error, Loaded, Options, load};

/// Options that run the exporter of this build.
pub fn options(flags: &[&str]) -> Options {
    Options {
        flags: flags.iter().map(|&flag| flag.to_owned()).collect(),
        exporter: Some(PathBuf::from(env!("CARGO_BIN_EXE_attest-export"))),
        include: Some(repository().join("include")),
        ..Options::default()
    }
}

/// The root of the repository.
pub fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Loads C texts as files `0.c`, `1.c`, … of a directory of their own.
pub fn load_texts(texts: &[&str], flags: &[&str]) -> Result<Loaded, Error> {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let names: Vec<PathBuf> = (0..texts.len())
        .map(|index| PathBuf::from(format!("{index}.c")))
        .collect();
    for (name, text) in names.iter().zip(texts) {
        std::fs::write(directory.path().join(name), text).expect("a writable directory");
    }
    let options = Options {
        directory: Some(directory.path().to_owned()),
        ..options(flags)
    };
    load(&names, &options)
}

/// Loads a C text that is expected to be good.
pub fn load_text(text: &str) -> Loaded {
    load_texts(&[text], &[]).expect("the text to load")
}
