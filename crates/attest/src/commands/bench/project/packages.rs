//! The packages, their files and the flags that these are compiled with.

/// A Debian source package.
#[derive(Clone, Copy, Debug)]
pub struct Package {
    /// Its name, by which the package manager fetches it.
    pub name: &'static str,
    /// The files whose functions are covered, all of them.
    pub files: &'static [&'static str],
    /// The compiler's flags, in the folder of the package.
    pub flags: &'static [&'static str],
}

/// The packages of the table. Their files need nothing that a build generates.
pub const PACKAGES: [Package; 8] = [
    Package {
        name: "bzip2",
        files: &["huffman.c", "bzlib.c"],
        flags: &["-I."],
    },
    Package {
        name: "cjson",
        files: &["cJSON.c"],
        flags: &["-I."],
    },
    Package {
        name: "hiredis",
        files: &["sds.c"],
        flags: &["-I."],
    },
    Package {
        name: "http-parser",
        files: &["http_parser.c"],
        flags: &["-I."],
    },
    Package {
        name: "libcsv",
        files: &["libcsv.c"],
        flags: &["-I."],
    },
    Package {
        name: "libyaml",
        files: &["src/api.c", "src/reader.c"],
        flags: &[
            "-Iinclude",
            "-DYAML_VERSION_MAJOR=0",
            "-DYAML_VERSION_MINOR=2",
            "-DYAML_VERSION_PATCH=5",
            "-DYAML_VERSION_STRING=\"0.2.5\"",
        ],
    },
    Package {
        name: "utf8proc",
        files: &["utf8proc.c"],
        flags: &["-I.", "-DUTF8PROC_STATIC"],
    },
    Package {
        name: "zlib",
        files: &["inftrees.c", "adler32.c", "compress.c", "uncompr.c"],
        flags: &["-I.", "-DHAVE_UNISTD_H"],
    },
];
