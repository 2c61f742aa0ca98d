// attest: cover
/*
 * A binary heap in an array: no item is less than the one above it.
 *
 *     attest cover bench/programs/structures/binary_heap.c
 *
 * The precondition of each operation is that the heap is one (`heap_ok`); those of the helpers say in
 * what state the operations leave it to them.
 */
#include <stddef.h>

enum { CAPACITY = 7 };

struct heap {
    int items[CAPACITY]; /* below item i are items 2 * i + 1 and 2 * i + 2 */
    int count;
};

static _Bool has_valid_count(const struct heap *heap)
{
    return heap && heap->count >= 0 && heap->count <= CAPACITY;
}

/* Whether none of the first `count` items is less than the one above it, if that is `top` or later. */
static _Bool is_ordered(const struct heap *heap, int top, int count)
{
    for (int i = 2 * top + 1; i < count; i++) {
        if (heap->items[i] < heap->items[(i - 1) / 2])
            return 0;
    }
    return 1;
}

_Bool is_ordered_precond(const struct heap *heap, int top, int count)
{
    return has_valid_count(heap) && top >= 0 && top <= CAPACITY && count <= heap->count;
}

_Bool heap_ok(const struct heap *heap)
{
    return has_valid_count(heap) && is_ordered(heap, 0, heap->count);
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

/* Lets an item rise until the one above it is not greater. */
static void rise(struct heap *heap, int at)
{
    while (at > 0) {
        int above = (at - 1) / 2;
        if (heap->items[above] <= heap->items[at])
            return;
        swap(&heap->items[above], &heap->items[at]);
        at = above;
    }
}

_Bool rise_precond(struct heap *heap, int at)
{
    return has_valid_count(heap) && at >= 0 && at < heap->count && is_ordered(heap, 0, at);
}

/* Lets an item sink until none of those below it is less. */
static void sink(struct heap *heap, int at)
{
    while (2 * at + 1 < heap->count) {
        int least = 2 * at + 1;
        if (least + 1 < heap->count && heap->items[least + 1] < heap->items[least])
            least++;
        if (heap->items[at] <= heap->items[least])
            return;
        swap(&heap->items[at], &heap->items[least]);
        at = least;
    }
}

_Bool sink_precond(struct heap *heap, int at)
{
    return has_valid_count(heap) && at >= 0 && at < heap->count &&
           is_ordered(heap, at + 1, heap->count);
}

/* Adds the item; false if the heap is full. */
_Bool heap_push(struct heap *heap, int item)
{
    if (heap->count == CAPACITY)
        return 0;
    heap->items[heap->count] = item;
    heap->count++;
    rise(heap, heap->count - 1);
    return 1;
}

_Bool heap_push_precond(struct heap *heap, int item)
{
    (void)item;
    return heap_ok(heap);
}

/* The place of the least item; null if there is none. */
const int *heap_peek(const struct heap *heap)
{
    return heap->count > 0 ? &heap->items[0] : NULL;
}

_Bool heap_peek_precond(const struct heap *heap)
{
    return heap_ok(heap);
}

/* Takes out the least item; false if there is none. */
_Bool heap_pop(struct heap *heap, int *item)
{
    if (heap->count == 0)
        return 0;
    *item = heap->items[0];
    heap->count--;
    heap->items[0] = heap->items[heap->count];
    sink(heap, 0);
    return 1;
}

_Bool heap_pop_precond(struct heap *heap, int *item)
{
    return heap_ok(heap) && item;
}

/* Puts another item at a place. */
void heap_change(struct heap *heap, int at, int item)
{
    int old = heap->items[at];

    heap->items[at] = item;
    if (item < old)
        rise(heap, at);
    else if (item > old)
        sink(heap, at);
}

_Bool heap_change_precond(struct heap *heap, int at, int item)
{
    (void)item;
    return heap_ok(heap) && at >= 0 && at < heap->count;
}

/* Makes a heap of items in any order. */
void heapify(struct heap *heap)
{
    for (int at = heap->count / 2 - 1; at >= 0; at--)
        sink(heap, at);
}

_Bool heapify_precond(struct heap *heap)
{
    return has_valid_count(heap);
}
