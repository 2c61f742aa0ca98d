//! Where attest's own headers are.

use std::path::{Path, PathBuf};

/// The folder of attest's own headers: `include/` beside the binary or further up, else where
/// attest was built.
pub fn folder() -> Option<PathBuf> {
    let binary = std::env::current_exe().ok();
    let above = binary.iter().flat_map(|binary| binary.ancestors().skip(1));
    let built = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    above
        .map(Path::to_owned)
        .chain([built])
        .map(|folder| folder.join("include"))
        .find(|include| include.join("attest.h").is_file())
}
