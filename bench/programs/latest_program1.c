/*
 * A program of the shape of program1 of table 1 of the LATEST paper: a character is looked for in
 * two input buffers, and each time the character after it is tested.
 *
 *     attest cover bench/programs/latest_program1.c -f top --scope file
 *
 * Both searches always happen and their buffers are independent, so that the paths multiply: far
 * more than the branches need.
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
    char first[SIZE];
    char second[SIZE];

    ATTEST_INPUT(first);
    ATTEST_INPUT(second);
    first[SIZE - 1] = '\0';
    second[SIZE - 1] = '\0';
    int key = find(first, 'k');
    int value = find(second, 'v');
    if (key == -1)
        return -1;
    if (first[key + 1] != ':')
        return 1;
    if (value == -1)
        return -2;
    if (second[value + 1] != ';')
        return 2;
    return 0;
}
