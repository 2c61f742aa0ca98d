/*
 * A program of the shape of figure 1 of the LATEST paper: two inputs are compared with a constant
 * string each, and the results decide between three paths of the caller.
 *
 *     attest cover bench/programs/latest_fig1.c -f greet --criterion all-paths
 *
 * It has exactly 720 feasible paths. `compare` against a constant of n characters can leave its
 * loop at each of the positions 0 to n - 1 in two ways (the input ends there, or differs there), and
 * at position n in two ways as well (the input ends, or goes on while the constant ends): 2 (n + 1)
 * paths. The constants have 11 and 14 characters, so the calls have 24 and 30 paths; both calls
 * always happen and their inputs are independent: 24 * 30 = 720. The path through `compare` fixes
 * whether the result is zero, so the `if`s at the end add none.
 */
#include "attest.h"

/* Long enough for both constants: no comparison reads further than their ends. */
enum { INPUT_SIZE = 16 };

static int compare(const char *left, const char *right)
{
    while (*left != '\0' && *right != '\0' && *left == *right) {
        left++;
        right++;
    }
    return *left - *right;
}

/* The number of inputs that are what they should be, the second only counting after the first. */
int greet(void)
{
    char first_line[INPUT_SIZE];
    char second_line[INPUT_SIZE];

    ATTEST_INPUT(first_line);
    ATTEST_INPUT(second_line);
    int first = compare(first_line, "Good night!");
    int second = compare(second_line, "Good afternoon");
    if (first == 0) {
        if (second == 0)
            return 2;
        return 1;
    }
    return 0;
}
