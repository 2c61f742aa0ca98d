// attest: cover
/*
 * Singly linked lists whose keys do not decrease, with the invariant as precondition of each
 * operation and as what it promises.
 *
 *     attest cover bench/programs/structures/sorted_list.c
 *
 * The nodes belong to the caller. A list is a pointer to its first node, NULL if it has none.
 */
#include "attest.h"

enum { MOST = 4 };

struct node {
    int key;
    struct node *next;
};

/* Whether a list is at an end after `most` nodes or before; one in a circle never is. */
static _Bool ends_within(const struct node *list, int most)
{
    while (list && most > 0) {
        list = list->next;
        most--;
    }
    return !list;
}

_Bool is_sorted_precond(const struct node *list)
{
    return ends_within(list, MOST);
}

/* Whether the keys of a list that has an end do not decrease. */
_Bool is_sorted(const struct node *list)
{
    for (; list && list->next; list = list->next) {
        if (list->key > list->next->key)
            return 0;
    }
    return 1;
}

/* The invariant, for lists that a search comes to the end of. */
static _Bool repOk(const struct node *list)
{
    return ends_within(list, MOST) && is_sorted(list);
}

_Bool are_joined_precond(const struct node *list, const struct node *other)
{
    return ends_within(list, MOST) && ends_within(other, MOST);
}

/* Whether two lists have a node in common: then they have the last one. */
static _Bool are_joined(const struct node *list, const struct node *other)
{
    if (!list || !other)
        return 0;
    while (list->next)
        list = list->next;
    while (other->next)
        other = other->next;
    return list == other;
}

/* Whether a node may be added to the list: it is not there, and the list does not begin in it. */
static _Bool is_new(struct node **list, const struct node *node)
{
    if (!list || !node || list == &node->next || !repOk(*list))
        return 0;
    for (const struct node *there = *list; there; there = there->next) {
        if (there == node)
            return 0;
    }
    return 1;
}

_Bool place_of_precond(struct node **list, int key)
{
    (void)key;
    return list && repOk(*list);
}

/* Where a key is in the list, or would be: a pointer to the first node that has no lesser one. */
static struct node **place_of(struct node **list, int key)
{
    while (*list && (*list)->key < key)
        list = &(*list)->next;
    return list;
}

_Bool sorted_find_precond(struct node *list, int key)
{
    (void)key;
    return repOk(list);
}

/* The first node with the key; NULL if there is none. */
struct node *sorted_find(struct node *list, int key)
{
    struct node *found = *place_of(&list, key);

    return found && found->key == key ? found : 0;
}

_Bool sorted_count_precond(struct node *list, int key)
{
    (void)key;
    return repOk(list);
}

/* How many nodes have the key. */
int sorted_count(struct node *list, int key)
{
    int count = 0;

    for (list = sorted_find(list, key); list && list->key == key; list = list->next)
        count++;
    return count;
}

_Bool sorted_insert_precond(struct node **list, struct node *node)
{
    return is_new(list, node);
}

/* Adds a node before those with its key. */
void sorted_insert(struct node **list, struct node *node)
{
    struct node **place = place_of(list, node->key);

    node->next = *place;
    *place = node;
    ATTEST_ASSERT(is_sorted(*list));
}

_Bool sorted_insert_if_absent_precond(struct node **list, struct node *node)
{
    return is_new(list, node);
}

/* Adds a node, unless one with its key is there: returns that. */
struct node *sorted_insert_if_absent(struct node **list, struct node *node)
{
    struct node **place = place_of(list, node->key);

    if (*place && (*place)->key == node->key)
        return *place;
    node->next = *place;
    *place = node;
    ATTEST_ASSERT(is_sorted(*list));
    return 0;
}

_Bool sorted_remove_precond(struct node **list, struct node *node)
{
    return list && node && repOk(*list);
}

/* Takes a node out, if it is there; looks at no key that is greater than the node's. */
_Bool sorted_remove(struct node **list, struct node *node)
{
    struct node **place = place_of(list, node->key);

    while (*place && *place != node && (*place)->key == node->key)
        place = &(*place)->next;
    if (*place != node)
        return 0;
    *place = node->next;
    ATTEST_ASSERT(is_sorted(*list));
    return 1;
}

_Bool sorted_remove_key_precond(struct node **list, int key)
{
    (void)key;
    return list && repOk(*list);
}

/* Takes all nodes with the key out; returns the first, which the others still follow. */
struct node *sorted_remove_key(struct node **list, int key)
{
    struct node **first = place_of(list, key);
    struct node **last = first;
    struct node *removed = *first;

    while (*last && (*last)->key == key)
        last = &(*last)->next;
    if (last == first)
        return 0;
    *first = *last;
    *last = 0;
    ATTEST_ASSERT(is_sorted(*list));
    ATTEST_ASSERT(is_sorted(removed));
    return removed;
}

_Bool sorted_merge_precond(struct node *list, struct node *other)
{
    return repOk(list) && repOk(other) && !are_joined(list, other);
}

/* One list of the nodes of two, which must not share any; of equal keys, those of `list` first. */
struct node *sorted_merge(struct node *list, struct node *other)
{
    struct node *merged = 0;
    struct node **end = &merged;

    while (list && other) {
        if (other->key < list->key) {
            *end = other;
            other = other->next;
        } else {
            *end = list;
            list = list->next;
        }
        end = &(*end)->next;
    }
    *end = list ? list : other;
    ATTEST_ASSERT(is_sorted(merged));
    return merged;
}

_Bool sorted_from_precond(struct node *list)
{
    return ends_within(list, MOST);
}

/* A sorted list of the nodes of one that need not be. */
struct node *sorted_from(struct node *list)
{
    struct node *sorted = 0;

    while (list) {
        struct node *rest = list->next;
        sorted_insert(&sorted, list);
        list = rest;
    }
    return sorted;
}
