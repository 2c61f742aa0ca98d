/*
 * Models of ctype.h in the C locale, saying where another one would matter, and of the tables that glibc's macros read.
 *
 * The functions give the very values that glibc gives, and do not branch on the character, so that
 * each use costs the caller's own branch and no more. As in glibc, an argument may be any value of
 * `signed char` or `unsigned char`, or EOF; anything else is undefined.
 */
#include "attest_primitives.h"

/* glibc's classes, in the order of its bits on a little-endian target. */
enum {
    UPPER = 0x100,
    LOWER = 0x200,
    ALPHA = 0x400,
    DIGIT = 0x800,
    XDIGIT = 0x1000,
    SPACE = 0x2000,
    PRINT = 0x4000,
    GRAPH = 0x8000,
    BLANK = 0x1,
    CNTRL = 0x2,
    PUNCT = 0x4,
    ALNUM = 0x8
};

static void check(int c)
{
    if ((unsigned)c + 128 >= 384)
        __attest_invalid_argument("a ctype.h function: the argument is neither a character nor EOF");
}

/* The same, of a function that says more of bytes above 127 in other locales. */
static void check_in_locale(int c)
{
    check(c);
    __attest_locale(((unsigned)c > 127) & (c != -1));
}

/* ---- classes, as 0 or 1, without branches ---- */

static int between(int c, int low, int high)
{
    return (unsigned)c - (unsigned)low <= (unsigned)high - (unsigned)low;
}

static int upper(int c)
{
    return between(c, 'A', 'Z');
}

static int lower(int c)
{
    return between(c, 'a', 'z');
}

static int digit(int c)
{
    return between(c, '0', '9');
}

static int alpha(int c)
{
    return upper(c) | lower(c);
}

static int alnum(int c)
{
    return alpha(c) | digit(c);
}

static int graph(int c)
{
    return between(c, '!', '~');
}

int isupper(int c)
{
    check_in_locale(c);
    return upper(c) * UPPER;
}

int islower(int c)
{
    check_in_locale(c);
    return lower(c) * LOWER;
}

int isalpha(int c)
{
    check_in_locale(c);
    return alpha(c) * ALPHA;
}

int isdigit(int c)
{
    check(c);
    return digit(c) * DIGIT;
}

int isxdigit(int c)
{
    check(c);
    return (digit(c) | between(c, 'A', 'F') | between(c, 'a', 'f')) * XDIGIT;
}

int isspace(int c)
{
    check_in_locale(c);
    return (between(c, '\t', '\r') | (c == ' ')) * SPACE;
}

int isprint(int c)
{
    check_in_locale(c);
    return between(c, ' ', '~') * PRINT;
}

int isgraph(int c)
{
    check_in_locale(c);
    return graph(c) * GRAPH;
}

int isblank(int c)
{
    check_in_locale(c);
    return ((c == ' ') | (c == '\t')) * BLANK;
}

int iscntrl(int c)
{
    check_in_locale(c);
    return (between(c, 0, 31) | (c == 127)) * CNTRL;
}

int ispunct(int c)
{
    check_in_locale(c);
    return (graph(c) & !alnum(c)) * PUNCT;
}

int isalnum(int c)
{
    check_in_locale(c);
    return alnum(c) * ALNUM;
}

int isascii(int c)
{
    return between(c, 0, 127);
}

int toascii(int c)
{
    return c & 127;
}

/* glibc's tables map bytes that were sign-extended to the bytes themselves, all but EOF. */
static int as_byte(int c)
{
    return c + between(c, -128, -2) * 256;
}

int tolower(int c)
{
    check_in_locale(c);
    return as_byte(c) + upper(c) * ('a' - 'A');
}

int toupper(int c)
{
    check_in_locale(c);
    return as_byte(c) - lower(c) * ('a' - 'A');
}

/* ---- the tables, from -128 to 255 ---- */

static const unsigned short classes[384] = {
    [128 + 0 ... 128 + 8] = CNTRL,
    [128 + '\t'] = CNTRL | SPACE | BLANK,
    [128 + '\n' ... 128 + '\r'] = CNTRL | SPACE,
    [128 + 14 ... 128 + 31] = CNTRL,
    [128 + ' '] = PRINT | SPACE | BLANK,
    [128 + '!' ... 128 + '/'] = PRINT | GRAPH | PUNCT,
    [128 + '0' ... 128 + '9'] = PRINT | GRAPH | ALNUM | DIGIT | XDIGIT,
    [128 + ':' ... 128 + '@'] = PRINT | GRAPH | PUNCT,
    [128 + 'A' ... 128 + 'F'] = PRINT | GRAPH | ALNUM | ALPHA | UPPER | XDIGIT,
    [128 + 'G' ... 128 + 'Z'] = PRINT | GRAPH | ALNUM | ALPHA | UPPER,
    [128 + '[' ... 128 + '`'] = PRINT | GRAPH | PUNCT,
    [128 + 'a' ... 128 + 'f'] = PRINT | GRAPH | ALNUM | ALPHA | LOWER | XDIGIT,
    [128 + 'g' ... 128 + 'z'] = PRINT | GRAPH | ALNUM | ALPHA | LOWER,
    [128 + '{' ... 128 + '~'] = PRINT | GRAPH | PUNCT,
    [128 + 127] = CNTRL,
};

#define FOUR(n) (n), (n) + 1, (n) + 2, (n) + 3
#define SIXTEEN(n) FOUR(n), FOUR((n) + 4), FOUR((n) + 8), FOUR((n) + 12)
#define LETTERS(a) SIXTEEN(a), FOUR((a) + 16), FOUR((a) + 20), (a) + 24, (a) + 25
#define HIGH_HALF(n) \
    SIXTEEN(n), SIXTEEN((n) + 16), SIXTEEN((n) + 32), SIXTEEN((n) + 48), SIXTEEN((n) + 64), \
        SIXTEEN((n) + 80), SIXTEEN((n) + 96)
/* The bytes 128 to 255 as signed ones; -1 is EOF and stays. */
#define NEGATIVE HIGH_HALF(128), FOUR(240), FOUR(244), FOUR(248), 252, 253, 254, -1
#define BEFORE_LETTERS SIXTEEN(0), SIXTEEN(16), SIXTEEN(32), SIXTEEN(48), 64
#define BETWEEN_LETTERS 91, 92, 93, 94, 95, 96
#define AFTER_LETTERS 123, 124, 125, 126, 127, HIGH_HALF(128), SIXTEEN(240)

static const int lower_case[384] = {
    NEGATIVE, BEFORE_LETTERS, LETTERS(97), BETWEEN_LETTERS, LETTERS(97), AFTER_LETTERS,
};

static const int upper_case[384] = {
    NEGATIVE, BEFORE_LETTERS, LETTERS(65), BETWEEN_LETTERS, LETTERS(65), AFTER_LETTERS,
};

static const unsigned short *const classes_at_zero = classes + 128;
static const int *const lower_case_at_zero = lower_case + 128;
static const int *const upper_case_at_zero = upper_case + 128;

const unsigned short **__ctype_b_loc(void)
{
    return (const unsigned short **)&classes_at_zero;
}

const int **__ctype_tolower_loc(void)
{
    return (const int **)&lower_case_at_zero;
}

const int **__ctype_toupper_loc(void)
{
    return (const int **)&upper_case_at_zero;
}
