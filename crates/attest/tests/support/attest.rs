//! Runs the built binary in a folder of its own.

use std::path::PathBuf;
use std::process::{Command, Output};

use tempfile::TempDir;

/// A folder with C files, in which attest is run.
pub struct Folder(TempDir);

/// What a run of attest gave.
pub struct Run {
    /// The exit status.
    pub status: Option<i32>,
    /// Standard output.
    pub output: String,
    /// Standard error.
    pub errors: String,
}

impl Folder {
    /// A new folder with one C file.
    pub fn with(name: &str, text: &str) -> Folder {
        let folder = Folder(tempfile::tempdir().expect("a temporary folder"));
        folder.write(name, text);
        folder
    }

    /// Adds a file, and the folders that it is in.
    pub fn write(&self, name: &str, text: &str) {
        let path = self.path(name);
        let folder = path.parent().expect("a folder");
        std::fs::create_dir_all(folder).expect("a folder for the file");
        std::fs::write(path, text).expect("a written file");
    }

    /// The path of something in the folder.
    pub fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// A command that runs attest here.
    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_attest"));
        command.args(arguments).current_dir(self.0.path());
        command
    }

    /// Runs attest here.
    pub fn attest(&self, arguments: &[&str]) -> Run {
        Run::of(&self.command(arguments).output().expect("a run of attest"))
    }
}

impl Run {
    /// What a finished process left.
    pub fn of(output: &Output) -> Run {
        Run {
            status: output.status.code(),
            output: String::from_utf8_lossy(&output.stdout).into_owned(),
            errors: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }

    /// Demands an exit status.
    #[track_caller]
    pub fn ends_with(self, status: i32) -> Run {
        let (output, errors) = (&self.output, &self.errors);
        assert_eq!(
            self.status,
            Some(status),
            "output:\n{output}\nerrors:\n{errors}"
        );
        self
    }

    /// Demands that standard error says all of these.
    #[track_caller]
    pub fn complains(self, about: &[&str]) -> Run {
        for text in about {
            assert!(
                self.errors.contains(text),
                "no `{text}` in:\n{}",
                self.errors
            );
        }
        self
    }

    /// Demands that standard output says all of these.
    #[track_caller]
    pub fn says(self, what: &[&str]) -> Run {
        for text in what {
            assert!(
                self.output.contains(text),
                "no `{text}` in:\n{}",
                self.output
            );
        }
        self
    }
}
