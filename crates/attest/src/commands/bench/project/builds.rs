//! Runs emitted tests in four builds, by the Makefile that is emitted with them, as a user does.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;

/// A build of tests.
#[derive(Clone, Copy, Debug)]
pub struct Build {
    /// Its name.
    pub name: &'static str,
    /// The compiler and its flags, as `CC` of the Makefile.
    pub compiler: &'static str,
}

/// The four builds. The flags are those of the Makefile's own `SANITIZERS`; of calls through
/// pointers, the machine takes other views than clang's sanitizer (see `emit/src/replay`).
pub const BUILDS: [Build; 4] = [
    Build {
        name: "gcc",
        compiler: "gcc",
    },
    Build {
        name: "clang",
        compiler: "clang-19",
    },
    Build {
        name: "gcc, sanitizers",
        compiler: "gcc -fsanitize=address,undefined -fno-sanitize=pointer-overflow \
                   -fno-sanitize-recover=all",
    },
    Build {
        name: "clang, sanitizers",
        compiler: "clang-19 -fsanitize=address,undefined -fno-sanitize=pointer-overflow,function \
                   -fno-sanitize-recover=all",
    },
];

/// For each build, how many tests pass.
pub type Passed = [usize; BUILDS.len()];

/// Builds and runs the tests of some functions, whose results are in these folders.
pub fn pass(folders: &[PathBuf]) -> Passed {
    let workers = std::thread::available_parallelism().map_or(1, usize::from);
    let left = Mutex::new(folders.iter());
    let next = || left.lock().ok().and_then(|mut left| left.next());
    let work = || {
        let mut passed = Passed::default();
        while let Some(folder) = next() {
            for (count, build) in passed.iter_mut().zip(&BUILDS) {
                *count += passing(folder, build);
            }
        }
        passed
    };
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..workers).map(|_| scope.spawn(work)).collect();
        let counts = workers.into_iter().filter_map(|worker| worker.join().ok());
        counts.fold(Passed::default(), |mut sum, counts| {
            sum.iter_mut()
                .zip(counts)
                .for_each(|(sum, count)| *sum += count);
            sum
        })
    })
}

/// How many tests of a function pass in a build; what does not, is told.
fn passing(folder: &Path, build: &Build) -> usize {
    let ran = Command::new("make")
        .args(["--silent", "--always-make", "check"])
        .arg(format!("CC={}", build.compiler))
        .arg("--directory")
        .arg(folder.join("tests"))
        .output();
    let Ok(ran) = ran else {
        return 0;
    };
    let said = String::from_utf8_lossy(&ran.stdout);
    let ends = |line: &&str, word: &str| line.starts_with("test ") && line.ends_with(word);
    if !ran.status.success() {
        let (name, shown) = (build.name, folder.display());
        eprintln!(
            "bench: {shown}, {name}:\n{said}{}",
            String::from_utf8_lossy(&ran.stderr)
        );
    }
    said.lines().filter(|line| ends(line, " passed")).count()
}
