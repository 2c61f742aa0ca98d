// attest: cover -f base64_decode
/*
 * Base64 of RFC 4648 with padding: decoding that accepts only what an encoder writes.
 */
#include <stddef.h>
#include <stdint.h>

enum {
    BASE64_BAD_ARGUMENT = -1, /* NULL, or a length that is no multiple of 4 */
    BASE64_BAD_INPUT = -2,    /* a character outside the alphabet, or padding in a wrong place */
    BASE64_NO_SPACE = -3,     /* the output does not fit */
};

/* The value of each character plus one; 0 for what is not in the alphabet. */
static const uint8_t sextet_plus_one[256] = {
    ['A'] = 1,  ['B'] = 2,  ['C'] = 3,  ['D'] = 4,  ['E'] = 5,  ['F'] = 6,  ['G'] = 7,  ['H'] = 8,
    ['I'] = 9,  ['J'] = 10, ['K'] = 11, ['L'] = 12, ['M'] = 13, ['N'] = 14, ['O'] = 15, ['P'] = 16,
    ['Q'] = 17, ['R'] = 18, ['S'] = 19, ['T'] = 20, ['U'] = 21, ['V'] = 22, ['W'] = 23, ['X'] = 24,
    ['Y'] = 25, ['Z'] = 26, ['a'] = 27, ['b'] = 28, ['c'] = 29, ['d'] = 30, ['e'] = 31, ['f'] = 32,
    ['g'] = 33, ['h'] = 34, ['i'] = 35, ['j'] = 36, ['k'] = 37, ['l'] = 38, ['m'] = 39, ['n'] = 40,
    ['o'] = 41, ['p'] = 42, ['q'] = 43, ['r'] = 44, ['s'] = 45, ['t'] = 46, ['u'] = 47, ['v'] = 48,
    ['w'] = 49, ['x'] = 50, ['y'] = 51, ['z'] = 52, ['0'] = 53, ['1'] = 54, ['2'] = 55, ['3'] = 56,
    ['4'] = 57, ['5'] = 58, ['6'] = 59, ['7'] = 60, ['8'] = 61, ['9'] = 62, ['+'] = 63, ['/'] = 64,
};

/* How many of the last group's characters are padding: 0, 1 or 2. */
static size_t padding_of(const char *group)
{
    if (group[3] != '=')
        return 0;
    return group[2] == '=' ? 2 : 1;
}

/*
 * Decodes `length` characters into at most `capacity` bytes. Returns the number of bytes written,
 * or one of the errors above.
 */
long base64_decode(const char *text, size_t length, uint8_t *out, size_t capacity)
{
    long written = 0;

    if (!text || !out || length % 4 != 0) //~ T covered, F covered
        return BASE64_BAD_ARGUMENT;

    for (size_t at = 0; at < length; at += 4) { //~ T covered, F covered
        size_t padding = at + 4 == length ? padding_of(text + at) : 0; //~ T covered, F covered
        uint32_t bits = 0;

        for (size_t i = 0; i < 4 - padding; i++) { //~ T covered, F covered
            uint32_t value = sextet_plus_one[(unsigned char)text[at + i]];
            if (value == 0) //~ T covered, F covered
                return BASE64_BAD_INPUT;
            bits = bits << 6 | (value - 1);
        }
        bits <<= 6 * padding;
        /* The bits that belong to no byte must be zero, or two texts would mean the same. */
        if (bits & ((1u << 8 * padding) - 1)) //~ T covered, F covered
            return BASE64_BAD_INPUT;

        for (size_t i = 0; i < 3 - padding; i++) { //~ T covered, F covered
            if ((size_t)written == capacity) //~ T covered, F covered
                return BASE64_NO_SPACE;
            out[written++] = (uint8_t)(bits >> (16 - 8 * i));
        }
    }
    return written;
}
