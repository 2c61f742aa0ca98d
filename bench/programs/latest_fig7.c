/*
 * A program of the shape of figure 7 of the LATEST paper: a character is looked for in a string of
 * at most N characters, and the character after it is tested.
 *
 *     attest cover bench/programs/latest_fig7.c -f top --criterion all-paths -- -DN=10
 *
 * It has exactly 3 N feasible paths. The string ends at one of the positions 0 to N - 1, or at N,
 * where it always ends: N + 1 paths without the character. Or the character is at one of the
 * positions 0 to N - 1 and the next one is a colon or not: 2 N paths, but for the last position,
 * after which nothing but the end can come: one less.
 */
#include "attest.h"

#ifndef N
#define N 10
#endif

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

/* 0 if the first `k` has a colon behind it, 1 if it has not, -1 if there is no `k`. */
int top(void)
{
    char text[N + 1];

    ATTEST_INPUT_ARRAY(text, N);
    text[N] = '\0';
    int at = find(text, 'k');
    if (at == -1)
        return -1;
    if (text[at + 1] != ':')
        return 1;
    return 0;
}
