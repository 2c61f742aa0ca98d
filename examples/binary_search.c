// attest: cover -f find_range
/*
 * Binary search in sorted arrays: the range of elements that are equal to a key.
 */
#include <stdbool.h>
#include <stddef.h>

struct range {
    size_t first; /* index of the first element */
    size_t end;   /* one past the last */
};

/* The index of the first element that is not less than the key, or `count`. */
static size_t lower_bound(const int *sorted, size_t count, int key)
{
    size_t low = 0;

    while (count > 0) {
        size_t half = count / 2;
        if (sorted[low + half] < key) {
            low += half + 1;
            count -= half + 1;
        } else {
            count = half;
        }
    }
    return low;
}

/* Whether the key is in the array; stores where, or where it belongs as an empty range. */
bool find_range(const int *sorted, size_t count, int key, struct range *found)
{
    if (found == NULL) //~ T covered, F covered
        return false;
    if (sorted == NULL) //~ T covered, F covered
        count = 0;

    size_t first = lower_bound(sorted, count, key);
    size_t end = first;
    while (end < count && sorted[end] == key) //~ T covered, F covered
        end++;

    found->first = first;
    found->end = end;
    return end > first;
}
