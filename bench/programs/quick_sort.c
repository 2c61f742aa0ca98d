/*
 * Quick sort of five numbers.
 *
 *     attest cover bench/programs/quick_sort.c -f quick_sort --criterion all-paths
 *
 * It has exactly 5! = 120 feasible paths: no comparison is made whose outcome is known already, so
 * each path stands for one order of the numbers (of equal ones, the one that comes first counts as
 * the smaller one, or the larger, depending on which is the pivot).
 */
#include "attest.h"

enum { COUNT = 5 };

static void swap(int *left, int *right)
{
    int old = *left;

    *left = *right;
    *right = old;
}

/* Moves what is less than the last element before it; where that element is afterwards. */
static int partition(int numbers[], int first, int last)
{
    int pivot = numbers[last];
    int next = first;

    for (int i = first; i < last; i++) {
        if (numbers[i] < pivot) {
            swap(&numbers[i], &numbers[next]);
            next++;
        }
    }
    swap(&numbers[next], &numbers[last]);
    return next;
}

static void sort(int numbers[], int first, int last)
{
    if (first >= last)
        return;
    int middle = partition(numbers, first, last);
    sort(numbers, first, middle - 1);
    sort(numbers, middle + 1, last);
}

int quick_sort(void)
{
    int numbers[COUNT];

    ATTEST_INPUT(numbers);
    sort(numbers, 0, COUNT - 1);
    return numbers[COUNT / 2];
}
