/*
 * Heap sort of five numbers.
 *
 *     attest cover bench/programs/heap_sort.c -f heap_sort --criterion all-paths
 *
 * It has exactly 210 feasible paths, more than the 5! = 120 orders: where numbers are equal, which of them
 * sinks and which stays shows in later comparisons, so that some orders with equal numbers have paths of
 * their own.
 */
#include "attest.h"

enum { COUNT = 5 };

static void swap(int *left, int *right)
{
    int old = *left;

    *left = *right;
    *right = old;
}

/* Lets the element at `root` sink until none of its children is greater. */
static void sink(int numbers[], int root, int count)
{
    while (2 * root + 1 < count) {
        int child = 2 * root + 1;

        if (child + 1 < count && numbers[child] < numbers[child + 1])
            child++;
        if (numbers[root] >= numbers[child])
            return;
        swap(&numbers[root], &numbers[child]);
        root = child;
    }
}

int heap_sort(void)
{
    int numbers[COUNT];

    ATTEST_INPUT(numbers);
    for (int root = COUNT / 2 - 1; root >= 0; root--)
        sink(numbers, root, COUNT);
    for (int count = COUNT - 1; count > 0; count--) {
        swap(&numbers[0], &numbers[count]);
        sink(numbers, 0, count);
    }
    return numbers[COUNT / 2];
}
