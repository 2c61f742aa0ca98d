//! Builds the exporter (`cpp/`) against the LLVM that `llvm-config` finds.

use std::path::{Path, PathBuf};
use std::process::Command;

/// Versions of LLVM, the preferred one first. The exporter is tested with the first.
const VERSIONS: [u32; 6] = [19, 18, 17, 16, 20, 21];

/// An installed LLVM with clang's C++ library.
struct Llvm {
    version: u32,
    include: PathBuf,
    libraries: PathBuf,
    clang: String,
}

fn main() {
    println!("cargo:rerun-if-changed=cpp");
    println!("cargo:rerun-if-env-changed=LLVM_CONFIG");
    let mut refused = Vec::new();
    let Some(llvm) = candidates().iter().find_map(|program| match find(program) {
        Ok(llvm) => Some(llvm),
        Err(why) => {
            refused.push(why);
            None
        }
    }) else {
        panic!(
            "attest's front-end needs clang's C++ library, version 16 or later.\n{}\n\
             On Debian and Ubuntu: apt-get install clang-19 libclang-19-dev llvm-19-dev \
             libclang-common-19-dev\n\
             (LLVM_CONFIG names another llvm-config.)",
            refused.join("\n")
        );
    };
    compile(&llvm);
    link(&llvm);
}

/// The programs to ask, in order.
fn candidates() -> Vec<String> {
    let named = std::env::var("LLVM_CONFIG").ok();
    let versioned = VERSIONS
        .iter()
        .map(|version| format!("llvm-config-{version}"));
    named
        .into_iter()
        .chain(versioned)
        .chain(["llvm-config".to_owned()])
        .collect()
}

/// What an `llvm-config` tells, if all that is needed is there.
fn find(program: &str) -> Result<Llvm, String> {
    let ask = |option: &str| -> Result<String, String> {
        let output = Command::new(program)
            .arg(option)
            .output()
            .map_err(|error| format!("{program}: {error}"))?;
        Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
    };
    let full = ask("--version")?;
    let version: u32 = full
        .split('.')
        .next()
        .and_then(|major| major.parse().ok())
        .ok_or_else(|| format!("{program}: no version in {full:?}"))?;
    if version < 16 {
        return Err(format!("{program}: version {full} is too old"));
    }
    let include = PathBuf::from(ask("--includedir")?);
    if !include.join("clang/Frontend/CompilerInstance.h").exists() {
        return Err(format!(
            "{program}: no clang headers (package libclang-{version}-dev)"
        ));
    }
    let libraries = PathBuf::from(ask("--libdir")?);
    let clang = library(&libraries, "libclang-cpp.so").ok_or_else(|| {
        format!("{program}: no libclang-cpp.so (packages libclang-cpp{version}, clang-{version})")
    })?;
    Ok(Llvm {
        version,
        include,
        libraries,
        clang,
    })
}

/// The name of the shared library that starts so; Debian's has no plain `.so` of its own package.
fn library(directory: &Path, start: &str) -> Option<String> {
    let entries = std::fs::read_dir(directory).ok()?;
    let mut names: Vec<String> = entries
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .filter(|name| name.starts_with(start))
        .collect();
    names.sort_by_key(|name| std::cmp::Reverse(name.len()));
    names.into_iter().next()
}

fn compile(llvm: &Llvm) {
    cc::Build::new()
        .cpp(true)
        .std("c++17")
        .warnings(false)
        .debug(false)
        .flag("-fno-rtti")
        .flag("-fno-exceptions")
        .flag("-w")
        .define("_GNU_SOURCE", None)
        .define("__STDC_LIMIT_MACROS", None)
        .define("__STDC_CONSTANT_MACROS", None)
        .define("__STDC_FORMAT_MACROS", None)
        .include(&llvm.include)
        .file("cpp/all.cpp")
        .file("cpp/profiles.cpp")
        .compile("attest_exporter");
}

fn link(llvm: &Llvm) {
    let directory = llvm.libraries.display();
    println!("cargo:rustc-link-search=native={directory}");
    println!("cargo:rustc-link-lib=dylib:+verbatim={}", llvm.clang);
    println!("cargo:rustc-link-lib=dylib=LLVM-{}", llvm.version);
    let resources = llvm.libraries.join(format!("clang/{}", llvm.version));
    println!(
        "cargo:rustc-env=ATTEST_CLANG_RESOURCES={}",
        resources.display()
    );
    println!("cargo:rustc-env=ATTEST_CLANG_VERSION={}", llvm.version);
}
