/*
 * A program of the shape of program2 of table 1 of the LATEST paper: two characters are looked for
 * in one input buffer, and what stands behind each is tested.
 *
 *     attest cover bench/programs/latest_program2.c -f top --scope file
 */
#include "attest.h"

enum { SIZE = 26 };

static int find(const char *text, char wanted)
{
    int i = 0;

    while (text[i] != wanted) {
        if (text[i] == '\0')
            return -1;
        i++;
    }
    return i;
}

int top(void)
{
    char text[SIZE];

    ATTEST_INPUT(text);
    text[SIZE - 1] = '\0';
    int key = find(text, 'k');
    int value = find(text, 'v');
    if (key == -1)
        return -1;
    if (text[key + 1] != ':')
        return 1;
    if (value == -1)
        return -2;
    if (text[value + 1] != ';')
        return 2;
    return 0;
}
