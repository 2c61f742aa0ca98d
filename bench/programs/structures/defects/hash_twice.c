// attest: cover -f hash_twice --criterion all-paths --strategy dfs
// defect: non-termination 73
// exit: 1
/*
 * A hash table of lists under a sequence of calls, which is an input. Seeded defect: nothing keeps
 * an element from being added that is there already. It then follows itself, and a look-up or a
 * removal of another element of its bucket does not end.
 *
 *     attest cover bench/programs/structures/defects/hash_twice.c -f hash_twice --criterion all-paths --strategy dfs
 */
#include "attest.h"

enum { BUCKETS = 5, ELEMENTS = 2, CALLS = 3 };

enum kind { ADD, ADD_IF_ABSENT, REMOVE, LOOK_UP, KINDS };

struct call {
    unsigned char kind;
    unsigned char element;
};

struct element {
    int key;
    struct element *next;
};

struct table {
    struct element *buckets[BUCKETS];
};

static struct element **bucket_of(struct table *table, int key)
{
    return &table->buckets[(unsigned)key % BUCKETS];
}

static void add(struct table *table, struct element *element)
{
    struct element **bucket = bucket_of(table, element->key);

    element->next = *bucket; /* which may be the element */
    *bucket = element;
}

/* Adds an element, unless one with its key is there. */
static _Bool add_if_absent(struct table *table, struct element *element)
{
    const struct element *there = *bucket_of(table, element->key);

    while (there && there->key != element->key)
        there = there->next;
    if (there)
        return 0;
    add(table, element);
    return 1;
}

static _Bool remove_element(struct table *table, struct element *element)
{
    struct element **place = bucket_of(table, element->key);

    while (*place && *place != element)
        place = &(*place)->next;
    if (!*place)
        return 0;
    *place = element->next;
    return 1;
}

static _Bool has(struct table *table, const struct element *element)
{
    const struct element *there = *bucket_of(table, element->key);

    while (there && there != element)
        there = there->next;
    return there;
}

/* How many calls returned true. */
int hash_twice(void)
{
    struct table table = {{0}};
    struct element elements[ELEMENTS] = {{0, 0}};
    struct call calls[CALLS];
    int count = 0;

    for (int i = 0; i < ELEMENTS; i++)
        ATTEST_INPUT(elements[i].key);
    ATTEST_INPUT(calls);
    for (int i = 0; i < CALLS; i++) {
        struct element *element = &elements[calls[i].element % ELEMENTS];
        switch (calls[i].kind % KINDS) {
        case ADD:
            add(&table, element);
            break;
        case ADD_IF_ABSENT:
            count += add_if_absent(&table, element);
            break;
        case REMOVE:
            count += remove_element(&table, element);
            break;
        default:
            count += has(&table, element);
            break;
        }
    }
    return count;
}
