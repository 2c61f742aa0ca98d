//! Random units: functions whose decisions depend on inputs of every kind, in the ways in which
//! proofs go wrong.

use std::fmt::Write as _;

use fastrand::Rng;

use super::marked;
use super::shapes::SHAPES;

/// What all units declare.
const DECLARATIONS: &str = include_str!("declarations.c");

/// A unit.
pub struct Unit {
    /// With probes.
    pub marked: String,
    /// The functions that are tested.
    pub functions: Vec<Function>,
}

/// A tested function.
pub struct Function {
    pub name: String,
    /// The arguments of a random call, in C.
    pub arguments: Vec<String>,
}

/// A parameter: its declaration, and a random argument.
const PARAMETERS: [(&str, &str, &str); 17] = [
    ("int x", "x", "(int)judge_any()"),
    ("unsigned y", "y", "(unsigned)judge_any()"),
    ("signed char z", "z", "(signed char)judge_any()"),
    ("unsigned short w", "w", "(unsigned short)judge_any()"),
    ("long long l", "l", "judge_any()"),
    ("_Bool f", "f", "judge_one_in(2)"),
    ("enum color c", "c", "(enum color)(judge_random() % 8)"),
    ("int *i", "i", "judge_pick_i()"),
    ("int *j", "j", "judge_pick_i()"),
    ("struct s *p", "p", "judge_pick_s()"),
    ("struct s *q", "q", "judge_pick_s()"),
    ("uintptr_t h", "h", "judge_handle()"),
    ("void *v", "v", "judge_pick_s()"),
    ("FILE *file", "file", "judge_stream()"),
    ("const char *str", "str", "judge_text()"),
    ("int (*call)(int)", "call", "judge_pick_call()"),
    ("const unsigned char *bytes", "bytes", "judge_bytes"),
];

/// Makes the functions of a unit.
pub(super) struct Maker {
    pub random: Rng,
    probes: u32,
    /// The parameters of the function at hand.
    parameters: Vec<&'static str>,
    /// Names that statements declare get numbers.
    names: u32,
    /// The shapes that are left out.
    without: Vec<String>,
}

/// The unit of a number, with so many functions and none of the shapes with these names, nor with
/// folded conditions if `folded` is among them.
pub fn unit(number: u64, functions: u32, without: &[String]) -> Unit {
    let mut maker = Maker {
        without: without.to_vec(),
        random: Rng::with_seed(number),
        probes: 0,
        parameters: Vec::new(),
        names: 0,
    };
    let mut unit = Unit {
        marked: DECLARATIONS.to_owned(),
        functions: Vec::new(),
    };
    for nth in 0..functions {
        let (text, function) = maker.function(nth);
        unit.marked += &text;
        unit.functions.push(function);
    }
    unit
}

impl Maker {
    fn function(&mut self, nth: u32) -> (String, Function) {
        let name = format!("f{nth}");
        let mut chosen: Vec<usize> = (0..PARAMETERS.len()).collect();
        self.random.shuffle(&mut chosen);
        chosen.truncate(self.random.usize(2..=5));
        let parameters = chosen.iter().map(|&at| PARAMETERS[at]);
        let declared: Vec<&str> = parameters.clone().map(|(text, _, _)| text).collect();
        self.parameters = parameters.clone().map(|(_, name, _)| name).collect();
        let mut body = "    int r = 0, m = 1;\n".to_owned();
        for pointer in ["i", "j", "p", "q", "v", "str"] {
            if self.has(pointer) && self.random.u32(..5) > 0 {
                let decision = self.decided(&format!("!{pointer}"));
                let _ = writeln!(body, "    if ({decision}) return -1;");
            }
        }
        for _ in 0..self.random.u32(2..=5) {
            body += &self.statement();
        }
        let text = format!(
            "int {name}({})\n{{\n{body}    return r + m;\n}}\n",
            declared.join(", ")
        );
        let arguments = parameters.map(|(_, _, argument)| argument.to_owned());
        let arguments = arguments.collect();
        (text, Function { name, arguments })
    }

    /// A statement of a shape that fits the parameters.
    fn statement(&mut self) -> String {
        loop {
            let (name, shape) = SHAPES[self.random.usize(..SHAPES.len())];
            if self.is_without(name) {
                continue;
            }
            if let Some(text) = shape(self) {
                return text;
            }
        }
    }

    /// Whether something is left out.
    fn is_without(&self, name: &str) -> bool {
        self.without.iter().any(|without| without == name)
    }

    /// Whether the function at hand has such a parameter.
    pub fn has(&self, parameter: &str) -> bool {
        self.parameters.contains(&parameter)
    }

    pub fn pick<'a>(&mut self, of: &[&'a str]) -> &'a str {
        of[self.random.usize(..of.len())]
    }

    /// A name that is new.
    pub fn name(&mut self, stem: &str) -> String {
        self.names += 1;
        format!("{stem}{}", self.names)
    }

    pub fn number(&mut self) -> i64 {
        match self.random.u32(..8) {
            0 => *[127, -128, 255, 100, 65_535, 32_767, 7, 31]
                .get(self.random.usize(..8))
                .unwrap_or(&7),
            _ => self.random.i64(-2..9),
        }
    }

    /// A probe's number.
    fn probe(&mut self) -> u32 {
        self.probes += 1;
        self.probes
    }

    /// An expression as a decision with one condition.
    pub fn decided(&mut self, expression: &str) -> String {
        let condition = marked::condition(self.probe(), expression);
        marked::decision(self.probe(), &condition)
    }

    /// An expression as one of several conditions.
    pub fn condition(&mut self, expression: &str) -> String {
        marked::condition(self.probe(), expression)
    }

    /// Conditions as a decision.
    pub fn decision(&mut self, formula: &str) -> String {
        marked::decision(self.probe(), formula)
    }

    /// The operand of a switch.
    pub fn switched(&mut self, labels: &[i64], operand: &str) -> String {
        marked::switched(self.probe(), labels, operand)
    }

    /// A number that inputs decide.
    pub fn value(&mut self) -> String {
        let mut known = vec![
            "g0",
            "g1",
            "s0",
            "s1",
            "k0",
            "arr[1]",
            "rec.a",
            "rec.c",
            "rec.d",
            "e0",
            "m",
            "rec.u.w[1]",
            "rec.t[2]",
            "a1[0]",
        ];
        let of_parameters: [(&str, &[&str]); 13] = [
            ("x", &["x", "x", "x"]),
            ("y", &["y", "y", "y"]),
            ("z", &["z", "z"]),
            ("w", &["w", "w"]),
            ("l", &["l", "l"]),
            ("f", &["f"]),
            ("c", &["c"]),
            ("i", &["*i", "*i"]),
            ("j", &["*j", "*j"]),
            (
                "p",
                &[
                    "p->a",
                    "p->b",
                    "p->c",
                    "p->d",
                    "p->t[1]",
                    "p->u.i",
                    "p->u.y[2]",
                ],
            ),
            ("q", &["q->a", "q->d", "q->u.w[0]"]),
            ("str", &["str[0]"]),
            ("bytes", &["bytes[3]", "bytes[0]"]),
        ];
        for (parameter, values) in of_parameters {
            if self.has(parameter) {
                known.extend(values);
                known.extend(values);
            }
        }
        self.pick(&known).to_owned()
    }

    /// A number computed from inputs.
    pub fn computed(&mut self) -> String {
        let (a, n) = (self.value(), self.number());
        match self.random.u32(..12) {
            0 => format!("((unsigned)({a}) + {n}u)", n = n.unsigned_abs()),
            1 => format!("({a} & {})", n.unsigned_abs()),
            2 => format!("({a} ^ {})", self.value()),
            3 => format!("(signed char)({a})"),
            4 => format!("({a} % {})", n.unsigned_abs() + 2),
            5 => format!("({a} >> {})", n.unsigned_abs() % 8),
            6 => format!("((unsigned)({a}) * {}u)", n.unsigned_abs()),
            7 => format!("({a} + {n})"),
            _ => a,
        }
    }

    /// A comparison.
    pub fn comparison(&mut self) -> String {
        let left = self.computed();
        let right = match self.random.u32(..4) {
            0 => self.value(),
            _ => self.number().to_string(),
        };
        let operator = self.pick(&["==", "==", "!=", "<", ">", "<=", ">="]);
        format!("{left} {operator} {right}")
    }

    /// A decision of any form, also with parts that are folded.
    pub fn formula(&mut self) -> String {
        let folded = self.pick(&["OFF", "ON", "LEVEL > 1", "1", "0", "sizeof(int) == 4", "no"]);
        let mut leaf = || {
            let comparison = self.comparison();
            self.condition(&comparison)
        };
        let (a, b) = (leaf(), leaf());
        let forms = match self.is_without("folded") {
            true => 2,
            false => 12,
        };
        let text = match self.random.u32(..forms) {
            0 => format!("{a} && {b}"),
            1 => format!("{a} || {b}"),
            2 => format!("{folded} && {a}"),
            3 => format!("{a} && {folded}"),
            4 => format!("{a} || {folded}"),
            5 => format!("{folded} || {a}"),
            6 => format!("{a} && ({b} || {folded})"),
            7 => format!("({a} && {b}) || {folded}"),
            _ => a,
        };
        self.decision(&text)
    }

    /// Something to do.
    pub fn action(&mut self) -> String {
        let number = self.number();
        let mut actions = vec![
            "r++;",
            "return r;",
            "m = 3;",
            "r += m;",
            "g0 = 2;",
            "rec.a = 4;",
            "s0 = 7;",
        ];
        if self.has("i") {
            actions.extend(["*i = 7;", "*i = m;", "gp = i;"]);
        }
        if self.has("j") {
            actions.extend(["*j = 1;", "j = &g0;"]);
        }
        if self.has("p") {
            actions.extend([
                "p->a = 5;",
                "p->d = m;",
                "p->u.w[1] = 2;",
                "p->next = 0;",
                "sp = p;",
            ]);
        }
        if self.has("q") {
            actions.extend(["q->a = 6;", "q->c = m;", "q = &rec;"]);
        }
        match self.pick(&actions) {
            "return r;" => format!("return r + {number};"),
            action => action.to_owned(),
        }
    }
}
