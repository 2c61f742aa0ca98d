/*
 * Paths of LENGTH branches, each on an input of its own: how the search grows with path length.
 *
 *     attest cover bench/programs/growth.c -f growth --criterion all-paths --iterations 100 -- -DLENGTH=1000
 *
 * There are 2^LENGTH feasible paths; the number of executions has to be limited.
 */
#include "attest.h"

#ifndef LENGTH
#define LENGTH 10
#endif

unsigned growth(void)
{
    unsigned char bytes[LENGTH];
    unsigned odd = 0;

    ATTEST_INPUT(bytes);
    for (unsigned i = 0; i < LENGTH; i++) {
        if (bytes[i] & 1)
            odd++;
    }
    return odd;
}
