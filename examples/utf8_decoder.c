// attest: cover -f utf8_decode
/*
 * Decoding of UTF-8 as Unicode defines it: shortest forms only, no surrogates, nothing above
 * U+10FFFF.
 */
#include <stddef.h>
#include <stdint.h>

enum {
    UTF8_INVALID = -1,   /* the bytes are no UTF-8 */
    UTF8_TRUNCATED = -2, /* the bytes end inside a character */
};

/*
 * Decodes the first character of a buffer. Returns how many bytes it takes, 0 at the end of the
 * buffer, or one of the errors above. Stores the code point only when it returns more than 0.
 */
int utf8_decode(const uint8_t *bytes, size_t size, uint32_t *code_point)
{
    /* The smallest code point that needs so many bytes. */
    static const uint32_t smallest[] = {0, 0, 0x80, 0x800, 0x10000};
    uint32_t value;
    size_t length;

    if (!bytes || !code_point) //~ T covered, F covered
        return UTF8_INVALID;
    if (size == 0) //~ T covered, F covered
        return 0;

    if (bytes[0] < 0x80) { //~ T covered, F covered
        *code_point = bytes[0];
        return 1;
    } else if ((bytes[0] & 0xe0) == 0xc0) { //~ T covered, F covered
        length = 2;
        value = bytes[0] & 0x1f;
    } else if ((bytes[0] & 0xf0) == 0xe0) { //~ T covered, F covered
        length = 3;
        value = bytes[0] & 0x0f;
    } else if ((bytes[0] & 0xf8) == 0xf0) { //~ T covered, F covered
        length = 4;
        value = bytes[0] & 0x07;
    } else {
        return UTF8_INVALID; /* a continuation byte, or one that is in no character */
    }

    for (size_t i = 1; i < length; i++) { //~ T covered, F covered
        if (i >= size) //~ T covered, F covered
            return UTF8_TRUNCATED;
        if ((bytes[i] & 0xc0) != 0x80) //~ T covered, F covered
            return UTF8_INVALID;
        value = value << 6 | (bytes[i] & 0x3f);
    }

    if (value < smallest[length]) //~ T covered, F covered
        return UTF8_INVALID;
    if (value >= 0xd800 && value <= 0xdfff) //~ T covered, F covered
        return UTF8_INVALID;
    if (value > 0x10ffff) //~ T covered, F covered
        return UTF8_INVALID;
    *code_point = value;
    return (int)length;
}
