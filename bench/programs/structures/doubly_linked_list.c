// attest: cover
/*
 * Doubly linked lists, with the invariant as precondition of each operation.
 *
 *     attest cover bench/programs/structures/doubly_linked_list.c
 *
 * The nodes belong to the caller. A list is a pointer to any of its nodes, NULL if it has none.
 */
#include "attest.h"

enum { MOST = 4 };

struct node {
    int key;
    struct node *prev;
    struct node *next;
};

/* The invariant, for lists that a search comes to the end of; those in a circle have no end. */
static _Bool repOk(const struct node *list)
{
    int count = 1;

    if (!list)
        return 1;
    for (const struct node *node = list; node->prev; node = node->prev) {
        if (node->prev->next != node || ++count > MOST)
            return 0;
    }
    for (const struct node *node = list; node->next; node = node->next) {
        if (node->next->prev != node || ++count > MOST)
            return 0;
    }
    return 1;
}

_Bool list_first_precond(struct node *list)
{
    return repOk(list);
}

/* The first node; NULL if there is none. */
struct node *list_first(struct node *list)
{
    while (list && list->prev)
        list = list->prev;
    return list;
}

_Bool list_last_precond(struct node *list)
{
    return repOk(list);
}

/* The last node; NULL if there is none. */
struct node *list_last(struct node *list)
{
    while (list && list->next)
        list = list->next;
    return list;
}

_Bool list_length_precond(struct node *list)
{
    return repOk(list);
}

int list_length(struct node *list)
{
    int length = 0;

    for (list = list_first(list); list; list = list->next)
        length++;
    return length;
}

_Bool list_has_precond(struct node *list, const struct node *node)
{
    (void)node;
    return repOk(list);
}

_Bool list_has(struct node *list, const struct node *node)
{
    list = list_first(list);
    while (list && list != node)
        list = list->next;
    return list;
}

/* Whether a node may be added to the list: it is not there, and nothing of it is the list. */
static _Bool is_new(struct node **list, const struct node *node)
{
    if (!list || !node || list == &node->prev || list == &node->next)
        return 0;
    return repOk(*list) && !list_has(*list, node);
}

_Bool list_find_precond(struct node *list, int key)
{
    (void)key;
    return repOk(list);
}

/* A node with the key, the next one rather than one before; NULL if there is none. */
struct node *list_find(struct node *list, int key)
{
    struct node *before = list;

    while (list && list->key != key)
        list = list->next;
    if (list)
        return list;
    while (before && before->key != key)
        before = before->prev;
    return before;
}

_Bool list_insert_before_precond(struct node **list, struct node *node)
{
    return is_new(list, node);
}

/* Adds a node before the one that stands for the list. */
void list_insert_before(struct node **list, struct node *node)
{
    node->prev = *list ? (*list)->prev : 0;
    node->next = *list;
    if (!*list)
        *list = node;
    else
        (*list)->prev = node;
    if (node->prev)
        node->prev->next = node;
    ATTEST_ASSERT(list_has(*list, node));
}

_Bool list_insert_after_precond(struct node **list, struct node *node)
{
    return is_new(list, node);
}

/* Adds a node after the one that stands for the list. */
void list_insert_after(struct node **list, struct node *node)
{
    node->prev = *list;
    node->next = *list ? (*list)->next : 0;
    if (!*list)
        *list = node;
    else
        (*list)->next = node;
    if (node->next)
        node->next->prev = node;
    ATTEST_ASSERT(list_has(*list, node));
}

_Bool list_append_if_absent_precond(struct node **list, struct node *node)
{
    return is_new(list, node);
}

/* Adds a node at the end, unless one with its key is there: returns that. */
struct node *list_append_if_absent(struct node **list, struct node *node)
{
    struct node *there = list_find(*list, node->key);

    if (there)
        return there;
    struct node *last = list_last(*list);
    list_insert_after(&last, node);
    if (!*list)
        *list = node;
    return 0;
}

_Bool list_remove_precond(struct node **list, struct node *node)
{
    return list && node && repOk(*list) && list_has(*list, node);
}

/* Takes out a node of the list, for which a neighbour stands from then on if it was that one. */
void list_remove(struct node **list, struct node *node)
{
    if (*list == node)
        *list = node->next ? node->next : node->prev;
    if (node->prev)
        node->prev->next = node->next;
    if (node->next)
        node->next->prev = node->prev;
    node->prev = 0;
    node->next = 0;
    ATTEST_ASSERT(repOk(*list));
}

_Bool list_remove_key_precond(struct node **list, int key)
{
    (void)key;
    return list && repOk(*list);
}

/* Takes out all nodes with the key; returns how many. */
int list_remove_key(struct node **list, int key)
{
    int removed = 0;

    for (struct node *node = list_find(*list, key); node; node = list_find(*list, key)) {
        list_remove(list, node);
        removed++;
    }
    return removed;
}

_Bool list_concatenate_precond(struct node **list, struct node *other)
{
    return list && repOk(*list) && repOk(other) && (!other || !list_has(*list, other));
}

/* Makes the nodes of another list follow those of the list. They must not share any. */
void list_concatenate(struct node **list, struct node *other)
{
    struct node *last = list_last(*list);
    struct node *first = list_first(other);

    if (!last) {
        *list = other;
    } else if (first) {
        last->next = first;
        first->prev = last;
        ATTEST_ASSERT(list_has(other, last));
    }
}

_Bool list_reverse_precond(struct node **list)
{
    return list && repOk(*list);
}

/* Turns the order round; the same node stands for the list. */
void list_reverse(struct node **list)
{
    struct node *node = list_first(*list);

    while (node) {
        struct node *next = node->next;
        node->next = node->prev;
        node->prev = next;
        node = next;
    }
    ATTEST_ASSERT(repOk(*list));
}
