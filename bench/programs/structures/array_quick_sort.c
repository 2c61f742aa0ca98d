// attest: cover
/*
 * Quick sort of an array, without recursion, and a search in what it sorted.
 *
 *     attest cover bench/programs/structures/array_quick_sort.c
 *
 * The precondition is an array of at most MAX_LENGTH numbers; that of the search says that they are
 * sorted (`is_sorted`).
 */
#include "attest.h"

enum { MAX_LENGTH = 5 };

struct range {
    int first;
    int last; /* less than `first` if the range is empty */
};

static _Bool array_ok(const int *array, int length)
{
    return array && length >= 0 && length <= MAX_LENGTH;
}

_Bool is_sorted(const int *array, int length)
{
    for (int i = 1; i < length; i++) {
        if (array[i] < array[i - 1])
            return 0;
    }
    return 1;
}

_Bool is_sorted_precond(const int *array, int length)
{
    return array_ok(array, length);
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

/* Moves the middle one of the first, the middle and the last number to the end. */
static void choose_pivot(int *array, struct range range)
{
    int *first = &array[range.first];
    int *middle = &array[range.first + (range.last - range.first) / 2];
    int *last = &array[range.last];

    if (*middle < *first)
        swap(middle, first);
    if (*last < *first)
        swap(last, first);
    if (*middle < *last)
        swap(middle, last);
}

_Bool choose_pivot_precond(int *array, struct range range)
{
    return array && range.first >= 0 && range.first <= range.last && range.last < MAX_LENGTH;
}

/* Moves what is less than the last number before it; where that number is afterwards. */
static int partition(int *array, struct range range)
{
    int low = range.first;
    int high = range.last - 1;

    while (low <= high) {
        if (array[low] < array[range.last]) {
            low++;
        } else if (array[high] >= array[range.last]) {
            high--;
        } else {
            swap(&array[low], &array[high]);
            low++;
            high--;
        }
    }
    swap(&array[low], &array[range.last]);
    return low;
}

_Bool partition_precond(int *array, struct range range)
{
    return array && range.first >= 0 && range.first <= range.last && range.last < MAX_LENGTH;
}

void array_quick_sort(int *array, int length)
{
    struct range stack[MAX_LENGTH]; /* the ranges that are still to be sorted */
    int depth = 1;

    stack[0] = (struct range){0, length - 1};
    while (depth > 0) {
        struct range range = stack[--depth];
        if (range.first >= range.last)
            continue;
        choose_pivot(array, range);
        int middle = partition(array, range);
        stack[depth++] = (struct range){range.first, middle - 1};
        stack[depth++] = (struct range){middle + 1, range.last};
    }
    ATTEST_ASSERT(is_sorted(array, length));
}

_Bool array_quick_sort_precond(int *array, int length)
{
    return array_ok(array, length);
}

/* Where the number is in the sorted array; -1 if it is not there. */
int array_search(const int *array, int length, int number)
{
    int first = 0;
    int end = length;

    while (first < end) {
        int middle = first + (end - first) / 2;
        if (array[middle] == number)
            return middle;
        if (array[middle] < number)
            first = middle + 1;
        else
            end = middle;
    }
    return -1;
}

_Bool array_search_precond(const int *array, int length, int number)
{
    (void)number;
    return array_ok(array, length) && is_sorted(array, length);
}
