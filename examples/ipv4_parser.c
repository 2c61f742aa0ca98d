// attest: cover -f ipv4_parse
/*
 * Parsing of IPv4 addresses in dotted decimal form, as inet_pton accepts them: four numbers from 0
 * to 255 without leading zeros, and nothing else.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

static bool is_digit(char c)
{
    return (unsigned char)(c - '0') < 10;
}

/* Stores the address with the first number in the highest byte. Stores nothing on failure. */
bool ipv4_parse(const char *text, uint32_t *address)
{
    uint32_t result = 0;

    if (!text || !address) //~ T covered, F covered
        return false;

    for (int part = 0; part < 4; part++) { //~ T covered, F covered
        unsigned number = 0;
        int digits = 0;

        if (part > 0 && *text++ != '.') //~ T covered, F covered
            return false;
        while (is_digit(*text)) { //~ T covered, F covered
            if (digits > 0 && number == 0) //~ T covered, F covered
                return false;
            number = number * 10 + (unsigned)(*text++ - '0');
            digits++;
            if (number > 255) //~ T covered, F covered
                return false;
        }
        if (digits == 0) //~ T covered, F covered
            return false;
        result = result << 8 | number;
    }
    if (*text != '\0') //~ T covered, F covered
        return false;
    *address = result;
    return true;
}
