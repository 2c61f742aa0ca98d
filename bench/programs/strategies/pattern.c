/*
 * A matcher of patterns with `?`, `*`, classes such as `[a-c]` and `[^x]`, and escapes; pattern and
 * text are inputs.
 *
 *     attest cover bench/programs/strategies/pattern.c -f pattern --scope file
 */
#include "attest.h"

enum { PATTERN_SIZE = 8, TEXT_SIZE = 6, MOST_STARS = 2 };

/* The length of the class at the start of a pattern, brackets included; 0 if it is malformed. */
static int class_length(const char *pattern)
{
    int i = 1;

    if (pattern[i] == '^') {
        i++;
    }
    if (pattern[i] == ']') {
        return 0;
    }
    while (pattern[i] != ']') {
        if (pattern[i] == '\0') {
            return 0;
        }
        i++;
    }
    return i + 1;
}

static int in_class(const char *pattern, int length, char c)
{
    int negated = 0;
    int i = 1;

    if (pattern[i] == '^') {
        negated = 1;
        i++;
    }
    while (i < length - 1) {
        if (pattern[i + 1] == '-' && i + 2 < length - 1) {
            if (pattern[i] <= c && c <= pattern[i + 2]) {
                return !negated;
            }
            i += 3;
        } else {
            if (pattern[i] == c) {
                return !negated;
            }
            i++;
        }
    }
    return negated;
}

/* 1 if pattern and text match, 0 if not, less than 0 if the pattern is malformed. */
static int match(const char *pattern, const char *text, int stars)
{
    while (*pattern != '\0') {
        int length = 1;

        if (*pattern == '*') {
            if (stars == MOST_STARS) {
                return -3;
            }
            do {
                int matched = match(pattern + 1, text, stars + 1);
                if (matched != 0) {
                    return matched;
                }
            } while (*text++ != '\0');
            return 0;
        }
        if (*pattern == '[') {
            length = class_length(pattern);
            if (length == 0) {
                return -1;
            }
            if (*text == '\0' || !in_class(pattern, length, *text)) {
                return 0;
            }
        } else if (*pattern == '\\') {
            if (pattern[1] == '\0') {
                return -2;
            }
            length = 2;
            if (pattern[1] != *text) {
                return 0;
            }
        } else if (*pattern == '?') {
            if (*text == '\0') {
                return 0;
            }
        } else if (*pattern != *text) {
            return 0;
        }
        pattern += length;
        text++;
    }
    return *text == '\0';
}

int pattern(void)
{
    char pattern[PATTERN_SIZE];
    char text[TEXT_SIZE];

    ATTEST_INPUT(pattern);
    ATTEST_INPUT(text);
    pattern[PATTERN_SIZE - 1] = '\0';
    text[TEXT_SIZE - 1] = '\0';
    int matched = match(pattern, text, 0);
    if (matched < 0) {
        return matched;
    }
    if (matched == 1) {
        if (pattern[0] == '[' && pattern[1] == '^' && text[1] == 'z') {
            return 3;
        }
        if (pattern[0] == '*' && text[0] == 'o' && text[1] == 'k') {
            return 2;
        }
        return 1;
    }
    return 0;
}
