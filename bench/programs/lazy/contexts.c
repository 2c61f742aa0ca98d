/*
 * One call in 16 contexts that make no difference to it. What it cannot do in the first (a sixth vowel among
 * five letters), it can do in none.
 *
 *     attest cover contexts.c -f rate --criterion unit-paths --lazy vowels
 */
#include "attest.h"

enum { LETTERS = 5, MARK = 3 };

static int vowels(const char *text)
{
    int count = 0;

    for (int i = 0; i < LETTERS; i++) {
        if (text[i] == 'a' || text[i] == 'e')
            count++;
    }
    return count;
}

int rate(int first, int second, int third, int fourth)
{
    char text[LETTERS + 1];
    int level = 0;

    ATTEST_INPUT(text);
    if (first > MARK)
        level++;
    if (second > MARK)
        level++;
    if (third > MARK)
        level++;
    if (fourth > MARK)
        level++;
    int count = vowels(text);
    if (count > LETTERS)
        return -1;
    return count == LETTERS ? level + 1 : level;
}
