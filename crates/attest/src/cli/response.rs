//! Response files among the flags of compilers: `@file` stands for the words in a file.

/// Files may name others, so deep.
const DEEPEST: u32 = 8;

/// The flags with the words of response files in their places. As for compilers, a file that cannot
/// be read is no response file.
pub fn expanded(flags: &[String]) -> Vec<String> {
    expand(flags, DEEPEST)
}

fn expand(flags: &[String], deepest: u32) -> Vec<String> {
    let words = |flag: &String| {
        let path = flag.strip_prefix('@').filter(|_| deepest > 0)?;
        let text = std::fs::read_to_string(path).ok()?;
        shlex::split(&text)
    };
    let with_words = flags.iter().flat_map(|flag| match words(flag) {
        Some(words) => expand(&words, deepest - 1),
        None => vec![flag.clone()],
    });
    with_words.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_response_files_are_flags() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = |name: &str, text: &str| {
            let path = folder.path().join(name);
            std::fs::write(&path, text).expect("a file");
            format!("@{}", path.display())
        };
        let inner = file("inner", "-DX='a b'\n-I\"c d\"\n");
        let outer = file("outer", &format!("-fwrapv {inner} -m32"));
        let flags = ["-O1".to_owned(), outer, "@nothing".to_owned()];
        let words = ["-O1", "-fwrapv", "-DX=a b", "-Ic d", "-m32", "@nothing"];
        assert_eq!(expanded(&flags), words);
        let endless = folder.path().join("endless");
        std::fs::write(&endless, format!("-Da @{}", endless.display())).expect("a file");
        assert_eq!(expanded(&[format!("@{}", endless.display())]).len(), 9);
    }
}
