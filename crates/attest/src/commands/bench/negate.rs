//! C programs with every condition of `if`, `while` and `for` negated, and their branches
//! exchanged, so that they do the same with the opposite polarity.
//!
//! `if (c) { A } else { B }` becomes `if (not c) { B } else { A }`; the condition of a loop becomes
//! an `if` that leaves it. Negation goes down to the comparisons (De Morgan). The programs have
//! braces around every branch and body, and no bracket in a string or a comment.

/// The program with its conditions negated.
pub fn negated(text: &str) -> String {
    let mut output = String::new();
    let mut rest = text;
    while let Some((before, keyword, after)) = next_keyword(rest) {
        output.push_str(before);
        rest = match statement(keyword, after) {
            Some((replacement, after)) => {
                output.push_str(&replacement);
                after
            }
            None => {
                output.push_str(keyword);
                after
            }
        };
    }
    output + rest
}

/// The first `if`, `for` or `while` before a parenthesis, with the text before it and after it.
fn next_keyword(text: &str) -> Option<(&str, &str, &str)> {
    let found = ["if (", "for (", "while ("]
        .into_iter()
        .filter_map(|keyword| {
            let mut places = text.match_indices(keyword).map(|(at, _)| at);
            let at = places
                .find(|&at| !text[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_'))?;
            Some((at, keyword.len() - " (".len()))
        });
    let (at, length) = found.min()?;
    Some((&text[..at], &text[at..at + length], &text[at + length..]))
}

/// A negated statement that begins with `keyword`, and the text after the statement. `None` if it
/// has no body in braces, as at the end of `do … while (c);`.
fn statement<'t>(keyword: &str, after: &'t str) -> Option<(String, &'t str)> {
    let (head, rest) = enclosed(after.strip_prefix(' ')?, '(', ')')?;
    let (body, rest) = enclosed(rest.strip_prefix(' ')?, '{', '}')?;
    let body = negated(body);
    match keyword {
        "if" => {
            let (other, rest) = else_part(rest);
            Some((
                format!("if ({}) {{{other}}} else {{{body}}}", not(head)),
                rest,
            ))
        }
        "while" => Some((format!("while (1) {}", looped(head, &body)), rest)),
        _ => {
            let mut parts = head.splitn(3, ';');
            let (first, condition, last) = (parts.next()?, parts.next()?.trim(), parts.next()?);
            if condition.is_empty() {
                return Some((format!("for ({head}) {{{body}}}"), rest));
            }
            let body = looped(condition, &body);
            Some((format!("for ({first};;{last}) {body}"), rest))
        }
    }
}

/// A loop's body that leaves the loop where its condition does not hold.
fn looped(condition: &str, body: &str) -> String {
    format!("{{ if ({}) {{ break; }} else {{{body}}} }}", not(condition))
}

/// What `else` leads to, negated, and the text after it; empty if there is no `else`.
fn else_part(rest: &str) -> (String, &str) {
    let Some(after) = rest.strip_prefix(" else ") else {
        return (String::new(), rest);
    };
    if let Some((body, rest)) = enclosed(after, '{', '}') {
        return (negated(body), rest);
    }
    match after
        .strip_prefix("if")
        .and_then(|after| statement("if", after))
    {
        Some((chained, rest)) => (format!(" {chained} "), rest),
        None => (String::new(), rest),
    }
}

/// What is between a bracket at the start of the text and its partner, and the text after that.
fn enclosed(text: &str, open: char, close: char) -> Option<(&str, &str)> {
    let inner = text.strip_prefix(open)?;
    let mut depth = 1;
    for (at, c) in code(inner) {
        if c == open {
            depth += 1;
        } else if c == close {
            depth -= 1;
        }
        if depth == 0 {
            return Some((&inner[..at], &inner[at + close.len_utf8()..]));
        }
    }
    None
}

/// The characters of a text with their places, character constants left out.
fn code(text: &str) -> impl Iterator<Item = (usize, char)> + '_ {
    let mut skipped = 0;
    text.char_indices().filter(move |&(at, c)| {
        let bytes = &text.as_bytes()[at..];
        if at >= skipped && c == '\'' {
            skipped = match bytes {
                [_, b'\\', _, b'\'', ..] => at + 4,
                [_, _, b'\'', ..] => at + 3,
                _ => skipped,
            };
        }
        at >= skipped
    })
}

/// The negation of a condition.
fn not(condition: &str) -> String {
    let condition = condition.trim();
    for (operator, dual) in [("||", "&&"), ("&&", "||")] {
        let parts = split(condition, operator);
        if parts.len() > 1 {
            let parts: Vec<String> = parts
                .into_iter()
                .map(|part| format!("({})", not(part)))
                .collect();
            return parts.join(&format!(" {dual} "));
        }
    }
    const OPPOSITES: [(&str, &str); 6] = [
        (" == ", " != "),
        (" != ", " == "),
        (" <= ", " > "),
        (" >= ", " < "),
        (" < ", " >= "),
        (" > ", " <= "),
    ];
    for (relation, opposite) in OPPOSITES {
        if let [left, right] = split(condition, relation)[..] {
            return format!("{left}{opposite}{right}");
        }
    }
    match condition.strip_prefix('!') {
        Some(inner) => inner.to_owned(),
        None => format!("!({condition})"),
    }
}

/// The parts of an expression between an operator that stands outside of all brackets.
fn split<'t>(text: &'t str, operator: &str) -> Vec<&'t str> {
    let mut parts = Vec::new();
    let (mut depth, mut start) = (0, 0);
    for (at, c) in code(text) {
        match c {
            '(' | '[' => depth += 1,
            ')' | ']' => depth -= 1,
            _ => {}
        }
        if depth == 0 && at >= start && text[at..].starts_with(operator) {
            parts.push(&text[start..at]);
            start = at + operator.len();
        }
    }
    parts.push(&text[start..]);
    parts
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::{negated, not};
    use crate::commands::bench::programs::Programs;

    /// Runs an entry on many inputs, small numbers mostly, and prints what it returns.
    const MAIN: &str = "#include <stdio.h>
static unsigned long state = 1;
void __attest_input(void *object, unsigned long size, const char *name)
{
    static const char likely[] = \"0123456789+-*/()[]^?abx_ GET HTTP/1.\";
    (void)name;
    for (unsigned long i = 0; i < size; i++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        unsigned long random = state >> 33;
        ((unsigned char *)object)[i] =
            random % 3 ? random / 3 % 6 : likely[random / 3 % (sizeof likely - 1)];
    }
}
int main(void)
{
    for (int i = 0; i < 5000; i++)
        printf(\"%ld\\n\", (long)ENTRY());
}
";

    /// What a program returns for the inputs of `MAIN`.
    fn results(text: &str, entry: &str) -> String {
        let folder = tempfile::tempdir().unwrap();
        let program = format!("{text}\n#define ENTRY {entry}\n{MAIN}");
        std::fs::write(folder.path().join("program.c"), program).unwrap();
        let include = concat!("-I", env!("CARGO_MANIFEST_DIR"), "/../../include");
        let mut gcc = Command::new("gcc");
        gcc.args(["-w", "-D__ATTEST__", include, "-o", "program", "program.c"]);
        assert!(
            gcc.current_dir(folder.path()).status().unwrap().success(),
            "{text}"
        );
        let run = Command::new(folder.path().join("program"))
            .output()
            .unwrap();
        assert!(run.status.success(), "{run:?}");
        String::from_utf8(run.stdout).unwrap()
    }

    #[test]
    fn negated_programs_do_the_same() {
        for path in Programs::within("bench/programs/strategies") {
            let text = Programs::text(path);
            let name = path.rsplit('/').next().unwrap().trim_end_matches(".c");
            if text.contains(&format!(" {name}(void)")) {
                let other = negated(text);
                assert_ne!(other, text);
                assert_eq!(results(text, name), results(&other, name), "{name}");
            }
        }
    }

    #[test]
    fn conditions_are_negated() {
        let cases = [
            ("a == 1", "a != 1"),
            ("a < 1 && !f(b || c)", "(a >= 1) || (f(b || c))"),
            ("a || b && c", "(!(a)) && ((!(b)) || (!(c)))"),
            ("x[i <= 2]", "!(x[i <= 2])"),
            ("c == '(' && f(d)", "(c != '(') || (!(f(d)))"),
            ("c >= 'a' && c <= 'z'", "(c < 'a') || (c > 'z')"),
        ];
        for (condition, negation) in cases {
            assert_eq!(not(condition), negation);
        }
    }

    #[test]
    fn branches_are_exchanged() {
        let program = "if (a) { b(); } else if (c > 1) { d(); }\nwhile (e) { f(); }\n\
                       for (i = 0; i < n; i++) { g(); }\nfor (;;) { h(); }\ndo { k(); } while (m);\n";
        let expected = "if (!(a)) { if (c <= 1) {} else { d(); } } else { b(); }\n\
                        while (1) { if (!(e)) { break; } else { f(); } }\n\
                        for (i = 0;; i++) { if (i >= n) { break; } else { g(); } }\n\
                        for (;;) { h(); }\ndo { k(); } while (m);\n";
        assert_eq!(negated(program), expected);
    }
}
