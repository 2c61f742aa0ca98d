// attest: cover
/*
 * Heap sort of an array, in either direction.
 *
 *     attest cover bench/programs/structures/array_heap_sort.c
 *
 * The precondition is an array of at most MAX_LENGTH numbers; those of the helpers say in what state
 * the sort leaves it to them.
 */
#include "attest.h"

enum { MAX_LENGTH = 5 };

enum order { ASCENDING, DESCENDING };

static _Bool array_ok(const int *array, int length)
{
    return array && length >= 0 && length <= MAX_LENGTH;
}

/* Whether the left number has to come before the right one. */
static _Bool precedes(int left, int right, enum order order)
{
    if (order == ASCENDING)
        return left < right;
    return left > right;
}

_Bool is_sorted(const int *array, int length, enum order order)
{
    for (int i = 1; i < length; i++) {
        if (precedes(array[i], array[i - 1], order))
            return 0;
    }
    return 1;
}

_Bool is_sorted_precond(const int *array, int length, enum order order)
{
    (void)order;
    return array_ok(array, length);
}

/* Whether no number precedes those below it, of which the first is `root` or later. */
static _Bool is_heap(const int *array, int root, int length, enum order order)
{
    for (int i = 2 * root + 1; i < length; i++) {
        if (precedes(array[(i - 1) / 2], array[i], order))
            return 0;
    }
    return 1;
}

_Bool is_heap_precond(const int *array, int root, int length, enum order order)
{
    (void)order;
    return array_ok(array, length) && root >= 0 && root <= length;
}

static void swap(int *left, int *right)
{
    int old = *left;

    *left = *right;
    *right = old;
}

_Bool swap_precond(int *left, int *right)
{
    return left && right;
}

/* Lets the number at `root` sink until it precedes none of those below it. */
static void sink(int *array, int root, int length, enum order order)
{
    for (;;) {
        int child = 2 * root + 1;

        if (child >= length)
            return;
        if (child + 1 < length && precedes(array[child], array[child + 1], order))
            child++;
        if (!precedes(array[root], array[child], order))
            return;
        swap(&array[root], &array[child]);
        root = child;
    }
}

_Bool sink_precond(int *array, int root, int length, enum order order)
{
    return array_ok(array, length) && root >= 0 && root < length &&
           is_heap(array, root + 1, length, order);
}

static void make_heap(int *array, int length, enum order order)
{
    for (int root = length / 2 - 1; root >= 0; root--)
        sink(array, root, length, order);
}

_Bool make_heap_precond(int *array, int length, enum order order)
{
    (void)order;
    return array_ok(array, length);
}

void array_heap_sort(int *array, int length, enum order order)
{
    make_heap(array, length, order);
    for (int rest = length - 1; rest > 0; rest--) {
        swap(&array[0], &array[rest]);
        sink(array, 0, rest, order);
    }
    ATTEST_ASSERT(is_sorted(array, length, order));
}

_Bool array_heap_sort_precond(int *array, int length, enum order order)
{
    (void)order;
    return array_ok(array, length);
}
