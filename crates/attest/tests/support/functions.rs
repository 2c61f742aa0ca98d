//! Random functions with calls that loop, return early, change globals and what they are given
//! pointers to, end the program, and call each other; some take tokens from a text and do what they
//! say, and some are given lists.

use std::fmt::Write as _;
use std::ops::Range;

use fastrand::Rng;

/// Functions and those that they call.
pub struct Program {
    /// In C. The functions are `f` with their numbers behind it.
    pub text: String,
    /// The names of most of those that they call, with commas between them. The others are always
    /// executed.
    pub callees: String,
}

/// One function in so many is always executed.
const ALWAYS_EXECUTED: u32 = 4;

/// The functions of these numbers.
pub fn program(numbers: Range<u64>) -> Program {
    let mut text =
        "#include <stdlib.h>\nstruct node { int value; struct node *next; };\n".to_owned();
    let mut callees = Vec::new();
    for number in numbers {
        let mut maker = Maker {
            random: Rng::with_seed(number),
            number,
            callees: Vec::new(),
        };
        text += &match number % 4 {
            0 | 2 => maker.function(),
            1 => maker.dispatcher(),
            _ => maker.walker(),
        };
        let mut random = maker.random;
        maker
            .callees
            .retain(|_| random.u32(0..ALWAYS_EXECUTED) != 0);
        callees.extend(maker.callees.into_iter().map(|callee| match callee {
            Callee::Numbers(name)
            | Callee::Pointer(name)
            | Callee::Text(name)
            | Callee::Lists(name) => name,
        }));
    }
    Program {
        text,
        callees: callees.join(","),
    }
}

/// Makes one function and those that it calls.
struct Maker {
    random: Rng,
    number: u64,
    callees: Vec<Callee>,
}

/// How to call a function.
#[derive(Clone)]
enum Callee {
    /// With two numbers.
    Numbers(String),
    /// With a pointer to one of the local variables, and a number.
    Pointer(String),
    /// With a string and a character.
    Text(String),
    /// With two lists.
    Lists(String),
}

impl Maker {
    fn below(&mut self, end: u32) -> u32 {
        self.random.u32(..end)
    }

    fn pick<'a>(&mut self, of: &[&'a str]) -> &'a str {
        of[self.random.usize(..of.len())]
    }

    /// A function `f`, `number` behind it, with its callees before it.
    fn function(&mut self) -> String {
        let g = self.number;
        let mut text = format!("int g{g}; static int s{g};\n");
        for index in 0..self.random.u32(1..=3) {
            text += &self.callee(index);
        }
        let _ = writeln!(text, "int f{g}(int x, int y, const char t[3]) {{");
        text += "    int v0 = x, v1 = y, r = 0;\n    char s[4] = {t[0], t[1], t[2], 0};\n";
        text += "    if (x < -100 || x > 100 || y < -100 || y > 100) return -7;\n";
        if self.random.bool() {
            let _ = writeln!(text, "    g{g} = {};", self.random.u32(..3));
        }
        let _ = writeln!(
            text,
            "    if (g{g} > 1000 || g{g} < -1000 || s{g} > 9 || s{g} < -9) return -8;"
        );
        let mut results: Vec<String> = Vec::new();
        for index in 0..self.random.u32(2..=4) {
            let callee = self.callees[self.random.usize(..self.callees.len())].clone();
            let call = self.call(&callee, &["x", "v0", "v1", "y", "7"]);
            let _ = writeln!(text, "    int t{index} = {call};");
            results.push(format!("t{index}"));
            if self.random.bool() {
                let condition = self.condition(&results);
                let _ = writeln!(text, "    if ({condition}) r += {};", self.random.u32(1..4));
            }
            if self.below(3) == 0 {
                let condition = self.condition(&[format!("g{g}"), format!("s{g}"), "v0".into()]);
                let then = self.pick(&["return r;", "r++;", "v0 = r;", "abort();"]);
                let _ = writeln!(text, "    if ({condition}) {then}");
            }
        }
        for index in 0..self.random.u32(1..=3) {
            let (first, second) = (self.condition(&results), self.condition(&results));
            let _ = writeln!(text, "    if ({first} && {second}) r = {index};");
        }
        text += "    return r;\n}\n";
        text
    }

    /// A function `f`, `number` behind it, that takes tokens from a text in a loop and does what
    /// they say, with its callees before it. Inputs that the callees do not see decide before.
    fn dispatcher(&mut self) -> String {
        let g = self.number;
        let mut text = format!("int g{g}; static int s{g};\n");
        text += &self.lexer();
        text += &self.callee(1);
        let _ = writeln!(text, "int f{g}(int x, int y, const char t[3]) {{");
        text += "    int v0 = x, v1 = y, r = 0, at = 0;\n    char s[4] = {t[0], t[1], t[2], 0};\n";
        text += "    if (x < -100 || x > 100 || y < -100 || y > 100) return -7;\n";
        let _ = writeln!(text, "    g{g} = s{g} = 0;");
        for index in 0..self.random.u32(0..=2) {
            let condition = self.condition(&["x".into(), "y".into()]);
            let _ = writeln!(text, "    if ({condition}) r += {};", 8 << index);
        }
        let rounds = self.random.u32(1..=2);
        let _ = writeln!(text, "    for (int i = 0; i < {rounds}; i++) {{");
        let _ = writeln!(text, "        int k = lex{g}(s, &at);");
        text += "        switch (k) {\n";
        for token in 0..self.random.u32(2..=4) {
            let callee = self.callees[0].clone();
            let call = self.call(&callee, &["x", "v0", "7"]);
            let wanted = self.below(4);
            let action = match self.below(5) {
                0 => "return r;".to_owned(),
                1 => format!("if ({call} == {wanted}) return -{token}; break;"),
                2 => format!("if (lex{g}(s, &at) != {wanted}) return -1; r++; break;"),
                3 => format!("v0 = k; r += g{g}; break;"),
                _ => format!("r += {token}; break;"),
            };
            let _ = writeln!(text, "        case {token}: {action}");
        }
        text += "        default: r += k;\n        }\n    }\n";
        let callee = self.callees[0].clone();
        let call = self.call(&callee, &["x", "v0", "y"]);
        let _ = writeln!(text, "    int t0 = {call};");
        let condition = self.condition(&["t0".into(), "r".into()]);
        let then = self.pick(&["return 90 + r;", "r++;", "abort();"]);
        let _ = writeln!(text, "    if ({condition}) {then}");
        text += "    return r + v1;\n}\n";
        self.callees.push(Callee::Text(format!("lex{g}")));
        text
    }

    /// A function that gives the next token of a text.
    fn lexer(&mut self) -> String {
        let g = self.number;
        let mut text = format!("static int lex{g}(const char *s, int *at) {{\n");
        if self.random.bool() {
            text += "    while (s[*at] == ' ') ++*at;\n";
        }
        text += "    if (s[*at] == 0) return 0;\n";
        if self.random.bool() {
            let letter = self.pick(&["x", "y"]);
            let _ = writeln!(
                text,
                "    for (int n = 0; s[*at] == '{letter}'; ++*at) if (++n == 2) return 4;"
            );
        }
        text += "    switch (s[*at]) {\n";
        for (token, letter) in (1..=self.random.u32(2..=3)).zip(["a", "b", "c"]) {
            let change = self.pick(&["", "++*at; ", "++*at; ", "g = 3; ", "++g; ++*at; "]);
            let change = change.replace("g", &format!("g{g}"));
            let _ = writeln!(text, "    case '{letter}': {change}return {token};");
        }
        text += "    default: ++*at; return 4;\n    }\n}\n";
        text
    }

    /// A function `f`, `number` behind it, that is given lists, with its callees before it.
    fn walker(&mut self) -> String {
        let g = self.number;
        let mut text = format!("int g{g}; static struct node *k{g};\n");
        for index in 0..self.random.u32(1..=2) {
            text += &self.list_callee(index);
        }
        let _ = writeln!(text, "int f{g}(struct node *p, struct node *q, int x) {{");
        text += "    int r = 0, y = 1, v0 = x, v1 = 2;\n";
        let _ = writeln!(text, "    struct node own = {{x, q}};\n    k{g} = 0;");
        for index in 0..self.random.u32(1..=2) {
            let condition = self.list_condition();
            let then = self.pick(&["return -1;", "return -2;", "r++;", "abort();"]);
            let _ = writeln!(text, "    if ({condition}) {then}");
            let callee = self.callees[self.random.usize(..self.callees.len())].clone();
            let call = self.call(&callee, &["x"]);
            let _ = writeln!(text, "    int t{index} = {call};");
        }
        for index in 0..self.random.u32(1..=3) {
            let (result, condition) = (self.condition(&["t0".into()]), self.list_condition());
            let _ = writeln!(
                text,
                "    if ({result} && {condition}) r += {};",
                10 + index
            );
        }
        text += "    return r + x;\n}\n";
        text
    }

    /// Something to ask about lists.
    fn list_condition(&mut self) -> String {
        let (list, other) = match self.below(5) {
            0 | 1 => ("p", "q"),
            2 | 3 => ("q", "p"),
            _ => ("(&own)", "q"),
        };
        let value = self.below(3);
        match self.below(4) {
            0 => format!("{list} && {list}->next == {other}"),
            1 => format!("{list} && {list}->next && {list}->next->value == {value}"),
            2 => format!("{list} == {other}"),
            _ => format!("{list} && {list}->value == {value}"),
        }
    }

    /// A function that is given two lists.
    fn list_callee(&mut self, index: u32) -> String {
        let name = format!("c{}_{index}", self.number);
        let [a, b] = [(); 2].map(|()| self.random.u32(..3));
        let g = self.number;
        let body = match self.below(7) {
            0 => format!("if (p && p->value > {a}) p->value = {b}; return q && p == q;"),
            1 => format!("if (p && p->next) {{ p->next->value = {a}; return {b}; }} return 3;"),
            2 => format!("if (p && p->value == {a}) p->next = 0; return p && p->next == q;"),
            3 => format!("if (q && q->value == {a}) {{ q->next = p; return {b}; }} return 2;"),
            4 => format!("if (p && p->value == {a}) k{g} = q; return p != 0;"),
            5 => format!("if (k{g} && q) {{ k{g}->value = {a}; return {b}; }} return 2;"),
            _ => format!("int n = {a}; for (; p && n < {a} + 2; p = p->next) n++; return n;"),
        };
        self.callees.push(Callee::Lists(name.clone()));
        format!("static int {name}(struct node *p, struct node *q) {{ {body} }}\n")
    }

    /// A comparison of one of these with a number, a variable or a global.
    fn condition(&mut self, of: &[String]) -> String {
        let left = of[self.random.usize(..of.len())].clone();
        let right = match self.below(3) {
            0 => self.pick(&["x", "y", "v0", "v1"]).to_owned(),
            1 => format!("g{}", self.number),
            _ => self.random.i32(-1..5).to_string(),
        };
        let comparison = self.pick(&["==", ">", "<", "!="]);
        format!("{left} {comparison} {right}")
    }

    fn call(&mut self, callee: &Callee, arguments: &[&str]) -> String {
        let (first, second) = (self.pick(arguments), self.pick(&["y", "x", "3"]));
        match callee {
            Callee::Numbers(name) => format!("{name}({first}, {second})"),
            Callee::Pointer(name) => format!("{name}(&v{}, {second})", self.below(2)),
            Callee::Text(name) => format!("{name}(s, '{}')", self.pick(&["a", "b"])),
            Callee::Lists(name) => {
                let [p, q] = [(); 2].map(|()| self.pick(&["p", "q", "p", "q", "&own"]));
                format!("{name}({p}, {q})")
            }
        }
    }

    /// One more function to call.
    fn callee(&mut self, index: u32) -> String {
        let g = self.number;
        let name = format!("c{g}_{index}");
        let [a, b, c] = [(); 3].map(|()| self.random.u32(..5));
        let numbers = format!("static int {name}(int x, int y)");
        let inner = self.callees.last().cloned();
        let (callee, text) = match (self.below(7), inner) {
            (0, _) => (
                Callee::Numbers(name),
                format!(
                    "{numbers} {{ int r = {a}; for (int i = 0; i < 3; i++) {{ if (x > i * {b}) r++; if (y == i) r += {c}; }} return r; }}"
                ),
            ),
            (1, _) => (
                Callee::Numbers(name),
                format!(
                    "{numbers} {{ for (int i = 0; i < 1; i++) {{ if (x < 0) return -{a}; if (y > {b}) return x; if (x == {c}) return y; }} return {c}; }}"
                ),
            ),
            (2, _) => {
                let by = self.pick(&["1", "x", "y"]);
                (
                    Callee::Numbers(name),
                    format!(
                        "{numbers} {{ int n = 0; while (n < 2 && x > n) {{ n++; g{g} += {by}; }} if (y == {a}) s{g} = {b}; return n; }}"
                    ),
                )
            }
            (3, _) => (
                Callee::Pointer(name.clone()),
                format!(
                    "static int {name}(int *p, int x) {{ int n = 0; while (n < 2) {{ if (*p > n + x) (*p)--; else break; n++; }} if (x == {a}) *p = {b}; return n; }}"
                ),
            ),
            (4, Some(inner)) => {
                let call = self.call(&inner, &["x", "y"]);
                (
                    Callee::Numbers(name),
                    format!(
                        "{numbers} {{ int v0 = x, v1 = y, r = 0; char s[3] = {{x, y, 0}}; for (int i = 0; i < 2; i++) if ({call} > {a}) r++; return r + v0 - v1 + s[2]; }}"
                    ),
                )
            }
            (5, _) => (
                Callee::Numbers(name),
                format!(
                    "{numbers} {{ for (int i = 0; i < 2; i++) if (x == {a} + i) exit({b}); return y > {c}; }}"
                ),
            ),
            _ => (
                Callee::Text(name.clone()),
                format!(
                    "static int {name}(const char *s, int c) {{ int i = 0; while (s[i] != c) {{ if (s[i] == 0) return -1; i++; }} return i; }}"
                ),
            ),
        };
        self.callees.push(callee);
        text + "\n"
    }
}
