//! Shapes of statements, one for each way in which something that was not thought of reaches a
//! goal.

use super::maker::Maker;
use super::marked;

/// Makes a statement, if the function has the parameters for it.
type Shape = fn(&mut Maker) -> Option<String>;

/// All of them by name; those that most code has stand here more than once.
pub(super) const SHAPES: [(&str, Shape); 46] = [
    ("branch", branch),
    ("branch", branch),
    ("branch", branch),
    ("branch", branch),
    ("either", either),
    ("either", either),
    ("action", action),
    ("switch", switch),
    ("switch", switch),
    ("rounds", rounds),
    ("variable_array", variable_array),
    ("sizeless", sizeless),
    ("conditional", conditional),
    ("written_alias", written_alias),
    ("pointers_equal", pointers_equal),
    ("next_is", next_is),
    ("handle", handle),
    ("parent", parent),
    ("tag", tag),
    ("table", table),
    ("out", out),
    ("effects", effects),
    ("errno", errno),
    ("shown", shown),
    ("kept", kept),
    ("given", given),
    ("moved", moved),
    ("filled", filled),
    ("allocated", allocated),
    ("unwritten", unwritten),
    ("volatile", volatile),
    ("padding", padding),
    ("pooled", pooled),
    ("called", called),
    ("weak", weak),
    ("typed", typed),
    ("text", text),
    ("callee", callee),
    ("one_past", one_past),
    ("register", register),
    ("difference", difference),
    ("buffer", buffer),
    ("view", view),
    ("copy", copy),
    ("two_names", two_names),
    ("stream", stream),
];

fn branch(maker: &mut Maker) -> Option<String> {
    let (formula, action) = (maker.formula(), maker.action());
    Some(format!("    if ({formula}) {action}\n"))
}

fn either(maker: &mut Maker) -> Option<String> {
    let (formula, then, otherwise) = (maker.formula(), maker.action(), maker.action());
    Some(format!(
        "    if ({formula}) {{ {then} }} else {{ {otherwise} }}\n"
    ))
}

fn action(maker: &mut Maker) -> Option<String> {
    Some(format!("    {}\n", maker.action()))
}

fn switch(maker: &mut Maker) -> Option<String> {
    let labels = [0, 1, 4, maker.random.i64(5..90)];
    let operand = maker.computed();
    let operand = maker.switched(&labels, &operand);
    let [a, b] = [(); 2].map(|()| maker.action());
    let [zero, one, four, other] = labels;
    Some(format!(
        "    switch ({operand}) {{\n    case {zero}: {a} break;\n    case {one}:\n    case {four}: {b}\n    case {other}: r++; break;\n    default: m = 0;\n    }}\n"
    ))
}

fn rounds(maker: &mut Maker) -> Option<String> {
    let at = maker.name("n");
    let (number, action) = (maker.number(), maker.action());
    let array = maker.pick(&["arr", "rec.t"]);
    let decision = maker.decided(&format!("{array}[{at}] == {number}"));
    Some(format!(
        "    for (int {at} = 0; {at} < 3; {at}++)\n        if ({decision}) {action}\n"
    ))
}

fn variable_array(maker: &mut Maker) -> Option<String> {
    let [length, array, at] = ["len", "vla", "n"].map(|name| maker.name(name));
    let (value, number, action) = (maker.value(), maker.number(), maker.action());
    let decision = maker.decided(&format!("{array}[{length} - 1][m & 1] == {number}"));
    Some(format!(
        "    {{ int {length} = (int)(({value}) & 3) + 1;\n    int {array}[{length}][2];\n    \
         for (int {at} = 0; {at} < {length}; {at}++) {{ {array}[{at}][0] = {at} + 4; \
         {array}[{at}][1] = (int)((unsigned)m + (unsigned){at}); }}\n    \
         if ({decision}) {{ {action} }} }}\n"
    ))
}

fn sizeless(maker: &mut Maker) -> Option<String> {
    let (at, number) = (maker.random.u32(..4), maker.number());
    let decision = maker.decided(&format!("earr[{at}] == {number}"));
    Some(format!("    if ({decision}) r++;\n"))
}

fn conditional(maker: &mut Maker) -> Option<String> {
    let comparison = maker.comparison();
    let decision = maker.decided(&comparison);
    let [a, b] = [(); 2].map(|()| maker.value());
    let second = maker.decided("m == 6");
    Some(format!(
        "    m = {decision} ? (int)({a}) : (int)({b});\n    if ({second}) r += 3;\n"
    ))
}

fn written_alias(maker: &mut Maker) -> Option<String> {
    let pointer = ["i", "j"].into_iter().find(|pointer| maker.has(pointer))?;
    let written = maker.pick(&["g0", "rec.a", "e0", "a1[1]", "s0", "rec.u.i"]);
    let decision = maker.decided(&format!("*{pointer} == 9"));
    Some(format!(
        "    *{pointer} = 7; {written} = 9;\n    if ({decision}) r += 2;\n"
    ))
}

fn pointers_equal(maker: &mut Maker) -> Option<String> {
    let mut pairs = Vec::new();
    if maker.has("i") {
        pairs.extend(["i == &g0", "i == gp", "i == rec.p", "i == &a1[1]"]);
    }
    if maker.has("i") && maker.has("j") {
        pairs.extend(["i == j", "i != j"]);
    }
    if maker.has("p") {
        pairs.extend([
            "p == &rec",
            "p == sp",
            "p->next == p",
            "p->next == sp",
            "(int *)p == rec.p",
        ]);
    }
    if maker.has("p") && maker.has("q") {
        pairs.extend(["p == q", "p->next == q", "q->next == p", "p->p == &q->a"]);
    }
    if pairs.is_empty() {
        return None;
    }
    let pair = maker.pick(&pairs);
    let (decision, action) = (maker.decided(pair), maker.action());
    Some(format!("    if ({decision}) {action}\n"))
}

fn next_is(maker: &mut Maker) -> Option<String> {
    if !maker.has("p") {
        return None;
    }
    let number = maker.number();
    let (first, second) = (
        maker.condition("p->next"),
        maker.condition(&format!("p->next->a == {number}")),
    );
    let decision = maker.decision(&format!("{first} && {second}"));
    Some(format!("    if ({decision}) {}\n", maker.action()))
}

fn handle(maker: &mut Maker) -> Option<String> {
    if !maker.has("h") {
        return None;
    }
    let (name, number) = (maker.name("o"), maker.number());
    let (first, second) = (
        maker.decided(&name),
        maker.decided(&format!("{name}->a == {number}")),
    );
    Some(format!(
        "    struct s *{name} = (struct s *)h;\n    if ({first})\n        if ({second}) r += 4;\n"
    ))
}

fn parent(maker: &mut Maker) -> Option<String> {
    if !maker.has("p") {
        return None;
    }
    let name = maker.name("o");
    let (first, second) = (
        maker.decided(&format!("!{name}")),
        maker.decided(&format!("{name}->next == p")),
    );
    let third = maker.decided("p->h & 1");
    Some(format!(
        "    if ({third}) r++;\n    struct s *{name} = (struct s *)(p->h & ~(uintptr_t)3);\n    if ({first}) return 1;\n    if ({second}) r += 4;\n"
    ))
}

fn tag(maker: &mut Maker) -> Option<String> {
    if !maker.has("q") {
        return None;
    }
    let decision = maker.decided("(uintptr_t)q->next & 1");
    Some(format!("    if ({decision}) return 2;\n"))
}

fn table(maker: &mut Maker) -> Option<String> {
    let (name, number) = (maker.name("o"), maker.number());
    let [a, b, c] = [
        "ntab < 1".to_owned(),
        format!("!{name}"),
        format!("{name}->a == {number}"),
    ]
    .map(|text| maker.decided(&text));
    Some(format!(
        "    if ({a}) return 5;\n    struct s *{name} = (struct s *)tab[0];\n    if ({b}) return 6;\n    if ({c}) r++;\n"
    ))
}

fn out(maker: &mut Maker) -> Option<String> {
    let (name, number) = (maker.name("o"), maker.number());
    let (first, second) = (
        maker.decided(&format!("ext_out(&{name}) < 0")),
        maker.decided(&format!("{name} == {number}")),
    );
    let start = maker.pick(&["", " = 1"]);
    Some(format!(
        "    int {name}{start};\n    if ({first}) return -1;\n    if ({second}) r += 2;\n"
    ))
}

fn effects(maker: &mut Maker) -> Option<String> {
    let mut places = vec!["g0", "rec.a", "e0", "s0", "s1", "k0"];
    if maker.has("p") {
        places.push("p->a");
    }
    if maker.has("i") {
        places.push("*i");
    }
    let place = maker.pick(&places);
    let set = match place {
        "s1" | "k0" => String::new(),
        _ => format!("{place} = 1; "),
    };
    let call = maker.pick(&["ext0(m)", "(ext_get() != 0)"]);
    let decision = maker.decided(&format!("{place} == 2"));
    Some(format!(
        "    {set}r += {call} > 0;\n    if ({decision}) m++;\n"
    ))
}

fn errno(maker: &mut Maker) -> Option<String> {
    let number = maker.number();
    let decision = maker.decided(&format!("errno == {number}"));
    Some(format!(
        "    errno = 0; m = ext0(1) == 3;\n    if ({decision}) r++;\n"
    ))
}

fn shown(maker: &mut Maker) -> Option<String> {
    let name = maker.name("o");
    let decision = maker.decided(&format!("{name}.a == 2"));
    Some(format!(
        "    struct s {name} = {{1}};\n    ext_show(&{name});\n    if ({decision}) r++;\n"
    ))
}

fn kept(maker: &mut Maker) -> Option<String> {
    let name = maker.name("o");
    let decision = maker.decided(&format!("{name} == 2"));
    Some(format!(
        "    int {name} = 1;\n    ext_keep(&{name});\n    m = ext0(m) > 2;\n    if ({decision}) r++;\n    ext_keep(0);\n"
    ))
}

fn given(maker: &mut Maker) -> Option<String> {
    let name = maker.name("o");
    let mut found = vec![format!("{name}->a == 5")];
    if maker.has("p") {
        found.extend([format!("{name} == p"), format!("{name} == p->next")]);
    }
    found.push(format!("{name} == &rec"));
    let at = maker.random.usize(..found.len());
    let (first, second) = (
        maker.decided(&format!("!{name}")),
        maker.decided(&found[at]),
    );
    Some(format!(
        "    struct s *{name} = ext_get();\n    if ({first}) return 3;\n    if ({second}) r++;\n"
    ))
}

fn moved(maker: &mut Maker) -> Option<String> {
    let value = ["x", "y", "w"].into_iter().find(|value| maker.has(value))?;
    let (name, at) = (maker.name("o"), maker.random.u32(..6));
    let function = maker.pick(&["memmove", "memcpy"]);
    let text = maker.pick(&["abcdefg", "aabbabc"]);
    let (first, second) = (
        maker.decided(&format!("{value} > 4")),
        maker.decided(&format!("{name}[{at}] == 'b'")),
    );
    let below = match value {
        "x" => "x < 0 ? 0 : x",
        other => other,
    };
    let source = match function {
        "memcpy" => "text",
        _ => &name,
    };
    Some(format!(
        "    if ({first}) return 8;\n    {{ char {name}[8] = \"{text}\", text[8] = \"bbcbbab\"; (void)text;\n    {function}({name} + ({below}), {source} + 1, 3);\n    if ({second}) r++; }}\n"
    ))
}

fn filled(maker: &mut Maker) -> Option<String> {
    let value = ["y", "w"].into_iter().find(|value| maker.has(value))?;
    let (name, at) = (maker.name("o"), maker.random.u32(..6));
    let decision = maker.decided(&format!("{name}[{at}] == 'b'"));
    Some(format!(
        "    char {name}[8] = \"\";\n    memset({name}, 'b', {value} & 7);\n    if ({decision}) r++;\n"
    ))
}

fn allocated(maker: &mut Maker) -> Option<String> {
    let value = ["y", "w"].into_iter().find(|value| maker.has(value))?;
    let name = maker.name("o");
    let (first, second) = (
        maker.decided(&format!("!{name}")),
        maker.decided(&format!("{name}[0] == 3")),
    );
    Some(format!(
        "    int *{name} = calloc(1 + ({value} & 3), sizeof *{name});\n    if ({first}) return 9;\n    {name}[{value} & 3] = 3;\n    if ({second}) r++;\n    free({name});\n"
    ))
}

fn unwritten(maker: &mut Maker) -> Option<String> {
    let (name, number) = (maker.name("o"), maker.number());
    let member = maker.pick(&["a", "t[1]", "b", "u.i"]);
    let (first, second) = (
        maker.decided(&format!("!{name}")),
        maker.decided(&format!("m == {number}")),
    );
    Some(format!(
        "    struct s *{name} = malloc(sizeof *{name});\n    if ({first}) return 9;\n    {name}->d = 2; m = {name}->{member}; free({name});\n    if ({second}) r++;\n"
    ))
}

fn volatile(maker: &mut Maker) -> Option<String> {
    let [a, b] = [1, 2].map(|value| format!("{} == {value}", marked::volatile("vol")));
    let (a, b) = (maker.condition(&a), maker.condition(&b));
    let decision = maker.decision(&format!("{a} && {b}"));
    Some(format!("    if ({decision}) r++;\n"))
}

fn padding(maker: &mut Maker) -> Option<String> {
    if !(maker.has("p") && maker.has("q")) {
        return None;
    }
    let (first, second) = (
        maker.decided("memcmp(p, q, sizeof *p) == 0"),
        maker.decision("p->a == q->a && p->b == q->b && p->h == q->h"),
    );
    Some(format!("    if ({first}) r++;\n    if ({second}) m++;\n"))
}

fn pooled(maker: &mut Maker) -> Option<String> {
    if !maker.has("str") {
        return None;
    }
    let at = maker.random.u32(..2);
    let decision = maker.decided(&format!("str == names[{at}]"));
    Some(format!("    if ({decision}) r += 2;\n"))
}

fn called(maker: &mut Maker) -> Option<String> {
    if !maker.has("call") {
        return None;
    }
    let number = maker.number();
    let [a, b, c] = [
        "!call".to_owned(),
        "call == twice".to_owned(),
        format!("call(m) == {number}"),
    ]
    .map(|text| maker.decided(&text));
    Some(format!(
        "    if ({a}) return 4;\n    if ({b}) r++;\n    if ({c}) r++;\n"
    ))
}

fn weak(maker: &mut Maker) -> Option<String> {
    let decision = maker.decided("maybe");
    Some(format!("    if ({decision}) r += maybe(1) > 2;\n"))
}

fn typed(maker: &mut Maker) -> Option<String> {
    if !maker.has("v") {
        return None;
    }
    let (name, number) = (maker.name("o"), maker.number());
    let (first, second) = (
        maker.condition(&format!("{name}->next")),
        maker.condition(&format!("{name}->next->b == {number}")),
    );
    let decision = maker.decision(&format!("{first} && {second}"));
    Some(format!(
        "    struct s *{name} = v;\n    if ({decision}) r++;\n"
    ))
}

fn text(maker: &mut Maker) -> Option<String> {
    if !maker.has("str") {
        return None;
    }
    let test = maker.pick(&[
        "strlen(str) == 2",
        "strcmp(str, \"ab\") == 0",
        "strchr(str, 'x') != 0",
        "strncmp(str, \"bcx\", 2) == 0",
        "atoi(str) == 0",
    ]);
    let decision = maker.decided(test);
    Some(format!("    if ({decision}) r++;\n"))
}

fn callee(maker: &mut Maker) -> Option<String> {
    let (a, n, b) = (maker.value(), maker.number(), maker.number());
    let call = match maker.random.u32(..3) {
        0 => format!("clamp((int)({a}), {n}) == {b}"),
        1 => format!("store(&m, (int)({a}))"),
        _ => format!("store(&rec.a, (int)({a})) && rec.a == {b}"),
    };
    let (first, second) = (maker.decision(&call), maker.decided(&format!("m == {b}")));
    Some(format!(
        "    if ({first}) r += 1;\n    if ({second}) r += 2;\n"
    ))
}

fn one_past(maker: &mut Maker) -> Option<String> {
    let pointer = ["i", "j"].into_iter().find(|pointer| maker.has(pointer))?;
    let other = maker.pick(&["a1 + 2", "a2 + 2", "a2", "a1"]);
    let decision = maker.decided(&format!("{pointer} == {other}"));
    Some(format!("    if ({decision}) r++;\n"))
}

fn register(maker: &mut Maker) -> Option<String> {
    let number = maker.number();
    let decision = maker.decided(&format!("*(volatile int *)0x40000000 == {number}"));
    Some(format!("    if ({decision}) r++;\n"))
}

fn difference(maker: &mut Maker) -> Option<String> {
    if !(maker.has("i") && maker.has("j")) {
        return None;
    }
    let decision = maker.decided("(uintptr_t)i - (uintptr_t)j == 4");
    Some(format!("    if ({decision}) r++;\n"))
}

fn buffer(maker: &mut Maker) -> Option<String> {
    let (name, at, number) = (maker.name("o"), maker.random.u32(..4), maker.number());
    let decision = maker.decided(&format!("{name}[{at}] == {number}"));
    Some(format!(
        "    unsigned char {name}[4] = {{0}};\n    ext_fill({name}, 4);\n    if ({decision}) r++;\n"
    ))
}

fn view(maker: &mut Maker) -> Option<String> {
    let pointer = ["p", "q"].into_iter().find(|pointer| maker.has(pointer))?;
    let (at, number) = (maker.random.u32(..12), maker.number());
    let decision = maker.decided(&format!("((unsigned char *){pointer})[{at}] == {number}"));
    Some(format!("    if ({decision}) r++;\n"))
}

fn copy(maker: &mut Maker) -> Option<String> {
    let pointer = ["p", "q"].into_iter().find(|pointer| maker.has(pointer))?;
    let (name, number) = (maker.name("o"), maker.number());
    let member = maker.pick(&["a", "c", "u.w[1]", "t[0]"]);
    let decision = maker.decided(&format!("{name}.{member} == {number}"));
    Some(format!(
        "    struct s {name} = *{pointer};\n    {pointer}->a = 3;\n    if ({decision}) r++;\n"
    ))
}

fn two_names(maker: &mut Maker) -> Option<String> {
    let number = maker.number();
    let decision = maker.decided("real0 == 5");
    Some(format!(
        "    real0 = {number}; also0 = 5;\n    if ({decision}) r++;\n"
    ))
}

fn stream(maker: &mut Maker) -> Option<String> {
    if !maker.has("file") {
        return None;
    }
    let name = maker.name("o");
    let [a, b, c] = [
        "!file".to_owned(),
        format!("{name} < 0"),
        format!("{name} == 'x'"),
    ]
    .map(|text| maker.decided(&text));
    Some(format!(
        "    if ({a}) return 6;\n    int {name} = fgetc(file);\n    if ({b}) return 7;\n    if ({c}) r++;\n"
    ))
}
