//! Inputs to begin with: earlier suites, and a fuzzer's corpus.

#[path = "support/attest.rs"]
mod attest;

use attest::Folder;

const WORD: &str = "int is_word(const unsigned char *data, unsigned size) {
    if (size != 6)
        return 0;
    if (data[0] != 'a' || data[1] != 't' || data[2] != 't' || data[3] != 'e' || data[4] != 's')
        return 0;
    if (data[5] != 't')
        return 0;
    return 1;
}
";

const RING: &str = "struct node { int value; struct node *next; };
int ring(struct node *p, int (*check)(int)) {
    if (!p || !p->next)
        return 0;
    if (p->next->next != p || p->next == p)
        return 1;
    if (p->value == 77 && p->next->value == 78)
        return 2;
    return 3;
}
";

#[test]
fn a_fuzzers_files_go_behind_a_pointer() {
    let folder = Folder::with("x.c", WORD);
    folder.write("corpus/deeper/id_1", "attest");
    folder.write("corpus/id_0", "");
    let all = ["cover", "x.c", "-f", "is_word", "--iterations", "3"];
    let run = folder.attest(&all);
    run.says(&["undecided: search stopped  undecided: search stopped"]);
    let run = folder.attest(&[&all[..], &["--seeds", "corpus"]].concat());
    run.says(&["data[5] != 't'", "undecided: search stopped  test"]);
}

#[test]
fn a_file_goes_into_the_first_declared_input() {
    let text = "#include \"attest.h\"\nint f(void) {
    struct { char word[4]; short number; unsigned low : 4, high : 4; } in;
    ATTEST_INPUT(in);
    int other;
    ATTEST_INPUT(other);
    if (in.word[3] == 'd' && in.number == 0x3231 && in.low == 3 && in.high == 4 && other == 0)
        return 1;
    return 0;\n}\n";
    let folder = Folder::with("x.c", text);
    folder.write("corpus/one", "word12C");
    let run = folder.attest(&[
        "cover",
        "x.c",
        "-f",
        "f",
        "--seeds",
        "corpus",
        "--iterations",
        "2",
    ]);
    run.ends_with(0).says(&["2 goals: 2 covered"]);
}

#[test]
fn an_earlier_suite_is_taken_up() {
    let folder = Folder::with("x.c", RING);
    let cover = ["cover", "x.c", "-f", "ring"];
    folder.attest(&cover).ends_with(0);
    // The same folder is read before it is written.
    let again = ["--seeds", "attest-out", "--iterations", "12"];
    let run = folder.attest(&[&cover[..], &again].concat()).ends_with(0);
    run.says(&["covered."]);
}

#[test]
fn seeds_that_are_of_no_use_are_told() {
    let folder = Folder::with("x.c", WORD);
    folder.write("empty/nothing/here.txt", "");
    let cover = ["cover", "x.c", "-f", "is_word", "--no-replay", "--seeds"];
    let missing = [&cover[..], &["missing"]].concat();
    folder.attest(&missing).complains(&["missing"]);
    folder.write("corpus/long", &"a".repeat(100));
    let long = [&cover[..], &["corpus"]].concat();
    folder
        .attest(&long)
        .complains(&["1 of the seeds are longer than 16 bytes", "--max-array"]);
    folder.write("broken/suite.json", "{}");
    let broken = [&cover[..], &["broken"]].concat();
    folder.attest(&broken).complains(&["broken/suite.json"]);
}
