//! What functions without a body are given: the emitted tests fail where the tested function has
//! changed and gives them something else.

use serde_json::json;

use super::attest::Folder;
use super::{json_of, make};

/// A function that gives all kinds of arguments to others.
const DELIVER: &str = r#"
enum kind { PING = 1, DATA = 7 };
struct entry { int key; struct entry *next; };
struct packet { enum kind kind; unsigned char flags; unsigned low : 3, high : 5; const char *name; };
struct point { short x; long y; };
_Noreturn void fatal(const char *why, int status);
int send(int channel, const char *text, unsigned long length);
void trace(enum kind kind, const char *format, ...);
int deliver(struct packet *packet, struct entry *to);
void move(struct point point, _Bool is_fast);
void store(const void *bytes, unsigned long count);
void look_at(int *table, unsigned char byte);
void call_back(void (*function)(int));
static int table[4] = {1, 2, 3, 4};
static void first(int x) { (void)x; }
void second(int x) { (void)x; }
int run(struct entry *entry, int channel, int (*visit)(struct entry *, void *), void *data)
{
    struct packet packet = {DATA, 200, 5, 17, "second"};
    struct point point = {-2, 1L << 40};
    int numbers[2] = {258, -1};
    char text[8] = "ab";
    if (channel < 0)
        fatal("a bad channel", 2);
    if (!entry) {
        trace(PING, "none on %d", channel);
        return send(channel, "none", 4);
    }
    packet.high = 18;
    text[2] = '!';
    deliver(&packet, entry);
    move(point, 1);
    store(numbers, sizeof numbers);
    look_at(table + 1, 255);
    call_back(second);
    send(-channel, text, 3);
    return visit ? visit(entry, data) : 0;
}
"#;

/// A change of the function, and what a test says of it.
const CHANGES: [(&str, &str, &str); 18] = [
    (
        "\"a bad channel\"",
        "\"a bad chancel\"",
        "call 1 of fatal: why is \"a bad chancel\", expected \"a bad channel\"",
    ),
    (
        "channel\", 2)",
        "channel\", 3)",
        "call 1 of fatal: status is 3, expected 2",
    ),
    (
        "trace(PING",
        "trace(DATA",
        "call 1 of trace: kind is 7, expected PING",
    ),
    (
        "none on",
        "nobody on",
        "call 1 of trace: format is \"nobody on %d\"",
    ),
    (
        "\"none\", 4",
        "\"none\", 5",
        "call 1 of send: length is 5, expected 4",
    ),
    (
        "{DATA, 200",
        "{PING, 200",
        "call 1 of deliver: packet->kind is 1, expected DATA",
    ),
    (
        "200, 5",
        "201, 5",
        "call 1 of deliver: packet->flags is 201, expected 200",
    ),
    (
        "high = 18",
        "high = 19",
        "call 1 of deliver: packet->high is 19, expected 18",
    ),
    (
        "\"second\"",
        "\"third\"",
        "call 1 of deliver: packet->name is \"third\"",
    ),
    (
        "packet, entry",
        "packet, entry + 1",
        "call 1 of deliver: to is not",
    ),
    (
        "1L << 40",
        "1L << 41",
        "call 1 of move: point.y is 2199023255552, expected 1099511627776",
    ),
    (
        "point, 1",
        "point, 0",
        "call 1 of move: is_fast is 0, expected 1",
    ),
    (
        "{258, -1}",
        "{259, -1}",
        "call 1 of store: bytes is not \"\\002\\001",
    ),
    (
        "table + 1",
        "table",
        "call 1 of look_at: table is not &table[1]",
    ),
    (
        "call_back(second)",
        "call_back(first)",
        "call 1 of call_back: function is not second",
    ),
    (
        "send(-channel, text",
        "send(-channel, text + 1",
        "call 1 of send: text is \"b!\", expected \"ab!\"",
    ),
    ("visit(entry, data)", "visit(entry, &point)", "is not NULL"),
    (
        "    call_back(second);\n",
        "",
        "the number of calls of call_back is 0, expected 1",
    ),
];

fn cover(text: &str) -> Folder {
    let folder = Folder::with("x.c", text);
    let arguments = [
        "cover",
        "x.c",
        "-f",
        "run",
        "--defects",
        "none",
        "-o",
        "out",
    ];
    folder.attest(&arguments);
    folder
}

#[test]
fn another_argument_fails_a_test() {
    let folder = cover(DELIVER);
    assert!(make(&folder, "check").status.success());
    for (before, after, said) in CHANGES {
        assert_eq!(DELIVER.matches(before).count(), 1, "{before}");
        let changed = DELIVER.replace(before, after);
        std::fs::write(folder.path("x.c"), changed).expect("a writable file");
        let run = make(&folder, "check");
        let text = String::from_utf8_lossy(&run.stdout);
        assert!(!run.status.success(), "{before} to {after}: {text}");
        assert!(text.contains(said), "{before} to {after}: {text}");
    }
}

/// What no test can know for sure.
const UNDETERMINED: &str = r#"
struct padded { char letter; long number; };
void number_of(unsigned long address, unsigned long low);
void keep(const void *bytes, double ratio, double nothing);
void fill(char *room, unsigned long size);
int run(int x)
{
    struct padded padded = {'a', 7};
    char room[16];
    keep(&padded, 1.5, __builtin_nan(""));
    number_of((unsigned long)&padded, (unsigned long)&padded & 0xff);
    fill(room, sizeof room);
    return x;
}
"#;

#[test]
fn what_is_not_determined_is_not_checked() {
    let folder = cover(UNDETERMINED);
    let run = make(&folder, "check");
    let text = String::from_utf8_lossy(&run.stdout);
    assert!(run.status.success(), "{text}");
    let suite = json_of(&folder, "out/suite.json");
    let given = &suite["tests"][0]["given"];
    let expected = json!({
        "keep#1: *bytes": "\"a\"",
        "keep#1: *bytes from byte 8 on": "\"\\007\\000\\000\\000\\000\\000\\000\\000\"",
        "keep#1: ratio": "0x3ff8000000000000ull",
        "fill#1: room": "not NULL",
        "fill#1: size": 16,
    });
    assert_eq!(*given, expected);
}

/// A function whose callees change what they are given.
const CHANGED: &str = r#"
#include <string.h>
void edit(char *text, int *count);
void show(const char *text, int count);
int run(char *line, int n)
{
    int count = 1;
    if (!line || n <= 0)
        return -1;
    strcpy(line, n == 2 ? "two" : "one");
    edit(line, &count);
    show(line, count);
    if (line[0] == 'x')
        return 1;
    return n;
}
"#;

#[test]
fn arguments_that_other_calls_changed_pass() {
    let folder = cover(CHANGED);
    let run = make(&folder, "check");
    let text = String::from_utf8_lossy(&run.stdout);
    assert!(run.status.success(), "{text}");
    std::fs::write(folder.path("x.c"), CHANGED.replace("\"one\"", "\"won\""))
        .expect("a writable file");
    let run = make(&folder, "check");
    let text = String::from_utf8_lossy(&run.stdout);
    assert!(
        text.contains("call 1 of edit: text is \"won\", expected \"one\""),
        "{text}"
    );
}
