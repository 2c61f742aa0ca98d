//! Where the sources of real code are: in Rust packages that carry C with them, and in what
//! `tools/fetch-package.sh` fetches.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::failure::Failure;

/// A body of C code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Code {
    /// zlib, in the package libz-sys.
    Zlib,
    /// lua 5.4, in the package lua-src.
    Lua,
    /// Debian's cJSON.
    Cjson,
}

impl Code {
    /// The folder of its sources.
    pub fn folder(self) -> Result<PathBuf, Failure> {
        match self {
            Code::Zlib => Ok(package("libz-sys")?.join("src/zlib")),
            Code::Lua => Ok(package("lua-src")?.join("lua-5.4.7")),
            Code::Cjson => existing(workspace().join("target/real-code/cjson")),
        }
    }
}

/// The folder of the project.
pub fn workspace() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The folder of a package, which cargo fetches if need be.
fn package(name: &str) -> Result<PathBuf, Failure> {
    let cargo = std::env::var_os("CARGO").unwrap_or("cargo".into());
    let output = Command::new(cargo)
        .args(["metadata", "--format-version", "1", "--locked"])
        .current_dir(workspace())
        .output()
        .map_err(|error| missing(&format!("cargo metadata: {error}")))?;
    let metadata: Value = serde_json::from_slice(&output.stdout)
        .map_err(|_| missing(&String::from_utf8_lossy(&output.stderr)))?;
    let packages = metadata["packages"].as_array();
    let found = packages
        .into_iter()
        .flatten()
        .find(|package| package["name"] == name);
    let manifest = found.and_then(|package| package["manifest_path"].as_str());
    let folder = manifest.and_then(|manifest| Path::new(manifest).parent());
    let folder = folder.ok_or_else(|| missing(&format!("cargo does not know {name}")))?;
    existing(folder.to_owned())
}

/// The folder, if it is there.
pub fn existing(folder: PathBuf) -> Result<PathBuf, Failure> {
    if folder.is_dir() {
        return Ok(folder);
    }
    Err(missing(&format!("there is no {}", folder.display())))
}

fn missing(why: &str) -> Failure {
    Failure::bad_input(
        format!("the sources of real code cannot be found: {why}"),
        "measure units in the folder that attest was built in, after `make install-test-deps`",
    )
}
