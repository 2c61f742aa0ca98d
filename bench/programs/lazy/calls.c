/*
 * CALLS calls of a function with PATHS paths: how the executions grow with either (LATEST, section 3).
 *
 *     attest cover calls.c -f top --criterion unit-paths --lazy rank -- -DPATHS=100 -DCALLS=4
 *
 * Without lazy expansion there are as many paths as PATHS to the power of CALLS.
 */
#ifndef PATHS
#define PATHS 10
#endif
#ifndef CALLS
#define CALLS 2
#endif

struct values {
    unsigned of[CALLS];
};

/* How many of the first PATHS - 1 numbers are not greater. */
static unsigned rank(unsigned value)
{
    unsigned rank = 0;

    while (rank < PATHS - 1 && value > 3 * rank)
        rank++;
    return rank;
}

/* How many values have the rank in the middle, up to the first that has not. */
int top(struct values values)
{
    for (int i = 0; i < CALLS; i++) {
        if (rank(values.of[i]) != PATHS / 2)
            return i;
    }
    return CALLS;
}
