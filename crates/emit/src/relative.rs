//! Paths from one folder to another, and compiler flags that move with them.

use std::path::{Component, Path, PathBuf};

/// The path without `.` and `..` where that needs no look at the disk.
pub fn normalised(path: &Path) -> PathBuf {
    let mut result = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir
                if matches!(result.components().next_back(), Some(Component::Normal(_))) =>
            {
                result.pop();
            }
            _ => result.push(component),
        }
    }
    result
}

/// The path that leads from the folder `from` to `to`; both must be absolute, else it is `to`.
pub fn relative(from: &Path, to: &Path) -> PathBuf {
    if !from.is_absolute() || !to.is_absolute() {
        return to.to_owned();
    }
    let (from, to) = (normalised(from), normalised(to));
    let shared = from
        .components()
        .zip(to.components())
        .take_while(|(a, b)| a == b)
        .count();
    let up = from.components().skip(shared).map(|_| Component::ParentDir);
    let path: PathBuf = up.chain(to.components().skip(shared)).collect();
    if path.as_os_str().is_empty() {
        PathBuf::from(".")
    } else {
        path
    }
}

/// Flags whose argument is a path, joined to it or on its own.
const WITH_PATH: [&str; 9] = [
    "-isystem",
    "-iquote",
    "-idirafter",
    "-include",
    "-imacros",
    "-isysroot",
    "--sysroot",
    "-I",
    "-L",
];

/// Flags whose file is looked for in the folders of headers too, if the working folder has none.
const LOOKED_FOR: [&str; 2] = ["-include", "-imacros"];

/// The flags with relative paths made to start from the folder `to` instead of `from`.
pub fn rebase_flags(flags: &[String], from: &Path, to: &Path) -> Vec<String> {
    let rebase = |option: &str, path: &str| {
        let elsewhere = LOOKED_FOR.contains(&option) && !from.join(path).exists();
        if elsewhere || Path::new(path).is_absolute() {
            return path.to_owned();
        }
        relative(to, &from.join(path)).display().to_string()
    };
    let mut rebased = Vec::new();
    let mut rest = flags.iter();
    while let Some(flag) = rest.next() {
        let option = WITH_PATH.iter().find(|option| flag.starts_with(**option));
        let Some(option) = option else {
            rebased.push(flag.clone());
            continue;
        };
        let joined = &flag[option.len()..];
        if let Some(path) = joined.strip_prefix('=') {
            rebased.push(format!("{option}={}", rebase(option, path)));
        } else if !joined.is_empty() {
            rebased.push(format!("{option}{}", rebase(option, joined)));
        } else {
            rebased.push(flag.clone());
            rebased.extend(rest.next().map(|path| rebase(option, path)));
        }
    }
    rebased
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_go_up_and_down() {
        let cases = [
            ("/a/b/out/tests", "/a/b/x.c", "../../x.c"),
            ("/a", "/a/x.c", "x.c"),
            ("/a/./b/../c", "/a/c", "."),
            ("/a", "/b/c", "../b/c"),
        ];
        for (from, to, expected) in cases {
            assert_eq!(
                relative(Path::new(from), Path::new(to)),
                Path::new(expected)
            );
        }
    }

    #[test]
    fn a_file_that_is_found_among_the_headers_keeps_its_name() {
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::write(folder.path().join("here.h"), "").expect("a file");
        let flags = ["-include", "here.h", "-include", "config.h"].map(str::to_owned);
        let rebased = rebase_flags(&flags, folder.path(), &folder.path().join("out/tests"));
        assert_eq!(
            rebased,
            ["-include", "../../here.h", "-include", "config.h"]
        );
    }

    #[test]
    fn include_folders_follow() {
        let flags =
            ["-Iinc", "-I", "/abs", "-isystem", "sys", "-DX=-Iinc", "-O2"].map(str::to_owned);
        let rebased = rebase_flags(&flags, Path::new("/p"), Path::new("/p/out/tests"));
        let expected = [
            "-I../../inc",
            "-I",
            "/abs",
            "-isystem",
            "../../sys",
            "-DX=-Iinc",
            "-O2",
        ];
        assert_eq!(rebased, expected);
    }
}
