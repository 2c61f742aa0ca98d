/*
 * Counts lines and words of standard input: each execution has as many inputs as it asks for.
 *
 *     attest cover bench/programs/words.c
 */
#include <ctype.h>
#include <stdio.h>

int main(void)
{
    int c, lines = 0, words = 0, is_inside = 0;

    while ((c = getchar()) != EOF) {
        if (c == '\n')
            lines++;
        if (isspace(c)) {
            is_inside = 0;
        } else if (!is_inside) {
            is_inside = 1;
            words++;
        }
    }
    if (lines > 3 && words > 5)
        return 1;
    if (words > lines * 4)
        return 2;
    return 0;
}
