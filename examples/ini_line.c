// attest: cover -f ini_parse_line
/*
 * Parsing of one line of an INI file: blank, comment, [section] or key = value.
 */
#include <stddef.h>

enum ini_kind {
    INI_BLANK,
    INI_COMMENT,
    INI_SECTION,
    INI_PAIR,
    INI_ERROR,
};

/* A piece of the line. */
struct ini_span {
    size_t begin;
    size_t end; /* one past the last character */
};

struct ini_line {
    struct ini_span name; /* of the section or the key */
    struct ini_span value;
};

static int is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

/* Leaves out the blanks at both ends. */
static struct ini_span trimmed(const char *text, struct ini_span span)
{
    while (span.begin < span.end && is_blank(text[span.begin]))
        span.begin++;
    while (span.end > span.begin && is_blank(text[span.end - 1]))
        span.end--;
    return span;
}

/* Parses a line that ends with a zero byte; stores the name and, for a pair, the value. */
enum ini_kind ini_parse_line(const char *text, struct ini_line *line)
{
    struct ini_span whole = {0, 0};

    if (!text || !line) //~ T covered, F covered
        return INI_ERROR;
    while (text[whole.end] != '\0') //~ T covered, F covered
        whole.end++;
    whole = trimmed(text, whole);

    if (whole.begin == whole.end) //~ T covered, F covered
        return INI_BLANK;
    char first = text[whole.begin];
    if (first == ';' || first == '#') //~ T covered, F covered
        return INI_COMMENT;

    if (first == '[') { //~ T covered, F covered
        if (text[whole.end - 1] != ']') //~ T covered, F covered
            return INI_ERROR;
        line->name = trimmed(text, (struct ini_span){whole.begin + 1, whole.end - 1});
        return line->name.begin == line->name.end ? INI_ERROR : INI_SECTION; //~ T covered, F covered
    }

    size_t equals = whole.begin;
    while (equals < whole.end && text[equals] != '=') //~ T covered, F covered
        equals++;
    if (equals == whole.end) //~ T covered, F covered
        return INI_ERROR;
    line->name = trimmed(text, (struct ini_span){whole.begin, equals});
    if (line->name.begin == line->name.end) //~ T covered, F covered
        return INI_ERROR;
    line->value = trimmed(text, (struct ini_span){equals + 1, whole.end});
    return INI_PAIR;
}
