// attest: cover
/*
 * Hash tables of lists, with the invariant as precondition of each operation and as what it
 * promises.
 *
 *     attest cover bench/programs/structures/hash_table.c
 *
 * The elements belong to the caller.
 */
#include "attest.h"

enum { BUCKETS = 5, MOST = 3 };

struct element {
    int key;
    struct element *next;
};

struct table {
    struct element *buckets[BUCKETS];
};

static unsigned hash(int key)
{
    return (unsigned)key % BUCKETS;
}

/*
 * The invariant, for tables that a search comes to the end of: each element is in the bucket of its
 * hash, and there are at most MOST, so that no bucket is a circle.
 */
static _Bool repOk(const struct table *table)
{
    int count = 0;

    if (!table)
        return 0;
    for (unsigned bucket = 0; bucket < BUCKETS; bucket++) {
        const struct element *element = table->buckets[bucket];
        for (; element; element = element->next) {
            if (++count > MOST || hash(element->key) != bucket)
                return 0;
        }
    }
    return 1;
}

_Bool table_init_precond(struct table *table)
{
    return table;
}

/* Makes an empty table. */
void table_init(struct table *table)
{
    for (int bucket = 0; bucket < BUCKETS; bucket++)
        table->buckets[bucket] = 0;
    ATTEST_ASSERT(repOk(table));
}

_Bool table_has_precond(const struct table *table, const struct element *element)
{
    return element && repOk(table);
}

/* Whether an element is in the table. */
_Bool table_has(const struct table *table, const struct element *element)
{
    const struct element *there = table->buckets[hash(element->key)];

    while (there && there != element)
        there = there->next;
    return there;
}

_Bool table_find_precond(const struct table *table, int key)
{
    (void)key;
    return repOk(table);
}

/* The element with the key that was added last; NULL if there is none. */
struct element *table_find(const struct table *table, int key)
{
    struct element *element = table->buckets[hash(key)];

    while (element && element->key != key)
        element = element->next;
    return element;
}

_Bool table_count_precond(const struct table *table)
{
    return repOk(table);
}

/* How many elements there are. */
int table_count(const struct table *table)
{
    int count = 0;

    for (int bucket = 0; bucket < BUCKETS; bucket++) {
        for (struct element *element = table->buckets[bucket]; element; element = element->next)
            count++;
    }
    return count;
}

_Bool table_longest_precond(const struct table *table)
{
    return repOk(table);
}

/* The number of elements in the fullest bucket. */
int table_longest(const struct table *table)
{
    int longest = 0;

    for (int bucket = 0; bucket < BUCKETS; bucket++) {
        int length = 0;
        for (struct element *element = table->buckets[bucket]; element; element = element->next)
            length++;
        if (length > longest)
            longest = length;
    }
    return longest;
}

_Bool table_add_precond(struct table *table, struct element *element)
{
    return element && repOk(table) && !table_has(table, element);
}

/* Adds an element, before others with its key. It must not be there. */
void table_add(struct table *table, struct element *element)
{
    struct element **bucket = &table->buckets[hash(element->key)];

    element->next = *bucket;
    *bucket = element;
    ATTEST_ASSERT(table_has(table, element));
}

_Bool table_add_if_absent_precond(struct table *table, struct element *element)
{
    return element && repOk(table) && !table_has(table, element);
}

/* Adds an element, unless one with its key is there: returns that. */
struct element *table_add_if_absent(struct table *table, struct element *element)
{
    struct element *there = table_find(table, element->key);

    if (!there)
        table_add(table, element);
    return there;
}

_Bool table_remove_precond(struct table *table, struct element *element)
{
    return element && repOk(table);
}

/* Takes an element out, if it is there. */
_Bool table_remove(struct table *table, struct element *element)
{
    struct element **place = &table->buckets[hash(element->key)];

    while (*place && *place != element)
        place = &(*place)->next;
    if (!*place)
        return 0;
    *place = element->next;
    ATTEST_ASSERT(repOk(table));
    return 1;
}

_Bool table_remove_key_precond(struct table *table, int key)
{
    (void)key;
    return repOk(table);
}

/* Takes all elements with the key out; returns how many. */
int table_remove_key(struct table *table, int key)
{
    struct element **place = &table->buckets[hash(key)];
    int removed = 0;

    while (*place) {
        if ((*place)->key == key) {
            *place = (*place)->next;
            removed++;
        } else {
            place = &(*place)->next;
        }
    }
    ATTEST_ASSERT(!table_find(table, key));
    return removed;
}
