//! Lengths that tests pass are written in terms of their arrays.

use crate::attest::Folder;

const TEXT: &str = "#include <stdlib.h>
struct item { int key; short value; };
int find(const struct item *items, int count, int key)
{
    for (int i = 0; i < count; i++)
        if (items[i].key == key && i > 1)
            return items[i].value;
    return -1;
}
int commas(const char *text, unsigned long size)
{
    int count = 0;
    for (unsigned long i = 0; i < size; i++)
        if (text[i] == ',')
            count++;
    return count > 2;
}
int last(char *text, int size)
{
    if (size < 3)
        return 0;
    int end = text[size - 1] == ';';
    free(text);
    return end;
}
int before(int size, const char *text) { return size == 3 && text[size - 1] == 'x'; }
int unrelated(const char *text, int kind) { return kind == 4 && text[3] == 'x'; }
";

/// The tests of a function, all of which pass.
fn tests(function: &str) -> String {
    let folder = Folder::with("x.c", TEXT);
    folder
        .attest(&["cover", "x.c", "-f", function, "-o", "out"])
        .ends_with(0);
    let path = folder.path(&format!("out/tests/test_{function}.c"));
    let text = std::fs::read_to_string(path).expect("a file of tests");
    let end = text.find("The runner:").expect("a runner");
    text[..end].to_owned()
}

#[test]
fn lengths_are_those_of_arrays() {
    assert!(tests("commas").contains("unsigned long size = sizeof text_data;"));
}

#[test]
fn larger_elements_are_counted() {
    let text = "int count = sizeof items_data / sizeof *items_data;";
    assert!(tests("find").contains(text));
}

#[test]
fn what_is_no_length_of_a_variable_stays_a_number() {
    for function in ["last", "before", "unrelated"] {
        assert!(!tests(function).contains(" = sizeof "), "{function}");
    }
}
