/*
 * A program of the shape of program3 in table 1 of the LATEST paper: figure 1, with a decision after
 * each comparison.
 *
 *     attest cover latest_program3.c -f greet --criterion unit-paths --lazy compare
 */
#include "attest.h"

enum { SIZE = 16 };

/* As strcmp. */
static int compare(const char *left, const char *right)
{
    while (*left != '\0' && *right != '\0' && *left == *right) {
        left++;
        right++;
    }
    return *left - *right;
}

/* How many are what they should be, up to the first that is not. */
int greet(void)
{
    char first[SIZE];
    char second[SIZE];

    ATTEST_INPUT(first);
    ATTEST_INPUT(second);
    first[SIZE - 1] = '\0';
    second[SIZE - 1] = '\0';
    if (compare(first, "Good night!") != 0)
        return 0;
    if (compare(second, "Good afternoon") != 0)
        return 1;
    return 2;
}
