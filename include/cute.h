/*
 * The interface of CUTE, so that programs written for it run unchanged. See attest.h.
 */
#ifndef ATTEST_CUTE_H
#define ATTEST_CUTE_H

#include "attest.h"

#define CUTE_input(x) ATTEST_INPUT(x)
#define CUTE_input_array(p, n) ATTEST_INPUT_ARRAY(p, n)
#define CUTE_assume(c) ATTEST_ASSUME(c)
#define CUTE_assert(c) ATTEST_ASSERT(c)

#endif
