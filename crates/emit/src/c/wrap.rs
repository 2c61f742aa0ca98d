//! Long lines.

/// Breaks a long line after commas, indenting what follows.
pub fn wrap(line: &str) -> String {
    const WIDTH: usize = 96;
    let mut text = String::new();
    let mut column = 0;
    let mut quote = None;
    let mut escaped = false;
    let mut after_comma = false;
    for c in line.chars() {
        if c == ' ' && after_comma && column > WIDTH {
            text.push_str("\n       ");
            column = 7;
        }
        quote = match (quote, c) {
            _ if escaped => quote,
            (None, '"' | '\'') => Some(c),
            (Some(open), _) if open == c => None,
            _ => quote,
        };
        escaped = quote.is_some() && c == '\\' && !escaped;
        after_comma = quote.is_none() && c == ',';
        text.push(c);
        column = if c == '\n' { 0 } else { column + 1 };
    }
    text
}

#[cfg(test)]
mod tests {
    use super::wrap;

    #[test]
    fn lines_break_between_values_only() {
        let line = format!(
            "{{{}'\"', \"{}\", '\\'', {}}}",
            "1, ".repeat(30),
            "a, ".repeat(40),
            "2, ".repeat(9)
        );
        let wrapped = wrap(&line);
        assert_eq!(wrapped.replace("\n       ", ""), line);
        assert!(wrapped.contains(&"a, ".repeat(40)), "{wrapped}");
        assert!(wrapped.contains('\n'), "{wrapped}");
    }
}
