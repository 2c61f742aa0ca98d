/*
 * The interface of KLEE, as far as test drivers use it, so that programs written for it run
 * unchanged. attest knows klee_make_symbolic and klee_assume by name; the rest stands on attest.h.
 */
#ifndef ATTEST_KLEE_H
#define ATTEST_KLEE_H

#include <stddef.h>

#include "../attest.h"

/* The `size` bytes of the object become inputs. */
void klee_make_symbolic(void *object, size_t size, const char *name);

/* Only inputs for which the condition is not zero are of interest. */
void klee_assume(__UINTPTR_TYPE__ condition);

/* An input of type int. */
#define klee_int(name)                                                                             \
    __extension__({                                                                                \
        int klee_value = 0;                                                                        \
        klee_make_symbolic(&klee_value, sizeof klee_value, (name));                                \
        klee_value;                                                                                \
    })

/* An input of type int from `begin` to `end` - 1. */
#define klee_range(begin, end, name)                                                               \
    __extension__({                                                                                \
        int klee_value = 0;                                                                        \
        klee_make_symbolic(&klee_value, sizeof klee_value, (name));                                \
        klee_assume(klee_value >= (begin));                                                        \
        klee_assume(klee_value < (end));                                                           \
        klee_value;                                                                                \
    })

#define klee_assert(condition) ATTEST_ASSERT(condition)

/* A wish about test values; attest prefers readable values by itself. */
#define klee_prefer_cex(object, condition) ((void)(object), (void)sizeof(condition))

#endif
