/*
 * A number in one of four notations, with sign, separators and a unit. Loops over digits whose
 * bounds depend on what was read before.
 *
 *     attest cover bench/programs/strategies/number.c -f number --scope file
 */
#include "attest.h"

enum { SIZE = 12, TOO_GREAT = -1, NO_DIGIT = -2, BAD_SEPARATOR = -3, BAD_UNIT = -4 };

static int digit(char c)
{
    if (c >= '0' && c <= '9') {
        return c - '0';
    }
    if (c >= 'a' && c <= 'f') {
        return c - 'a' + 10;
    }
    return 99;
}

/* Which notation the number is in; goes past the prefix. */
static int base_of(const char **text)
{
    if (**text != '0') {
        return 10;
    }
    switch ((*text)[1]) {
    case 'x':
        *text += 2;
        return 16;
    case 'b':
        *text += 2;
        return 2;
    case 'o':
        *text += 2;
        return 8;
    default:
        return 10;
    }
}

static long digits(const char **text, int base)
{
    long value = 0;
    int count = 0;

    for (;;) {
        if (**text == '_') {
            if (count == 0 || digit((*text)[1]) >= base) {
                return BAD_SEPARATOR;
            }
            (*text)++;
            continue;
        }
        if (digit(**text) >= base) {
            break;
        }
        value = value * base + digit(**text);
        if (value > 0xffffff) {
            return TOO_GREAT;
        }
        count++;
        (*text)++;
    }
    if (count == 0) {
        return NO_DIGIT;
    }
    return value;
}

static long unit(const char **text)
{
    switch (**text) {
    case '\0':
        return 1;
    case 'k':
        (*text)++;
        return 1000;
    case 'M':
        (*text)++;
        if (**text == 'i') {
            (*text)++;
            return 1 << 20;
        }
        return 1000000;
    default:
        return BAD_UNIT;
    }
}

long number(void)
{
    char line[SIZE];
    const char *text = line;
    int negative = 0;

    ATTEST_INPUT(line);
    line[SIZE - 1] = '\0';
    while (*text == ' ') {
        text++;
    }
    if (*text == '-') {
        negative = 1;
        text++;
    } else if (*text == '+') {
        text++;
    }
    int base = base_of(&text);
    long value = digits(&text, base);
    if (value < 0) {
        return value;
    }
    long factor = unit(&text);
    if (factor < 0 || *text != '\0') {
        return BAD_UNIT;
    }
    if (negative && value == 0) {
        return 1;
    }
    if (base == 16 && value == 0xc0de) {
        return 2;
    }
    if (base == 2 && value == 21 && factor == 1000) {
        return 3;
    }
    if (value * factor == 12 << 20) {
        return 4;
    }
    return 0;
}
