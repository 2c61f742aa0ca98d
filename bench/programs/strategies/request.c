/*
 * The first line of an HTTP-like request: method, path, version. String comparisons one behind the
 * other, each of which has to succeed for the next to be reached.
 *
 *     attest cover bench/programs/strategies/request.c -f request --scope file
 */
#include <string.h>

#include "attest.h"

enum { SIZE = 28, MOST_SEGMENTS = 3 };

struct request {
    int method;
    int segments;
    int has_query;
    int version;
};

/* Goes past a word if it stands there; whether it did. */
static int skip(const char **text, const char *word)
{
    size_t length = strlen(word);

    if (strncmp(*text, word, length) != 0) {
        return 0;
    }
    *text += length;
    return 1;
}

static int read_method(const char **text)
{
    if (skip(text, "GET ")) {
        return 1;
    }
    if (skip(text, "PUT ")) {
        return 2;
    }
    if (skip(text, "DELETE ")) {
        return 3;
    }
    return 0;
}

static int is_path_character(char c)
{
    if (c >= 'a' && c <= 'z') {
        return 1;
    }
    return c == '_' || c == '.';
}

/* The number of segments of the path, or less than 0. */
static int read_path(const char **text)
{
    int segments = 0;

    if (**text != '/') {
        return -1;
    }
    while (**text == '/') {
        (*text)++;
        segments++;
        if (segments > MOST_SEGMENTS) {
            return -2;
        }
        if ((*text)[0] == '.' && (*text)[1] == '.') {
            return -3;
        }
        while (is_path_character(**text)) {
            (*text)++;
        }
    }
    return segments;
}

static int read_query(const char **text)
{
    if (**text != '?') {
        return 0;
    }
    (*text)++;
    while (**text != ' ') {
        if (**text == '\0') {
            return -1;
        }
        (*text)++;
    }
    return 1;
}

static int read_version(const char **text)
{
    if (!skip(text, " HTTP/")) {
        return -1;
    }
    if (skip(text, "1.")) {
        if (**text == '0' || **text == '1') {
            return 10 + (**text - '0');
        }
        return -2;
    }
    if (**text == '2') {
        return 20;
    }
    return -3;
}

int request(void)
{
    char line[SIZE];
    const char *text = line;
    struct request request;

    ATTEST_INPUT(line);
    line[SIZE - 1] = '\0';
    request.method = read_method(&text);
    if (request.method == 0) {
        return -1;
    }
    request.segments = read_path(&text);
    if (request.segments < 0) {
        return -2;
    }
    request.has_query = read_query(&text);
    if (request.has_query < 0) {
        return -3;
    }
    request.version = read_version(&text);
    if (request.version < 0) {
        return -4;
    }
    if (request.method == 3 && request.version == 20) {
        return 2;
    }
    if (request.method == 2 && request.segments == 2 && request.has_query) {
        return 3;
    }
    return 1;
}
