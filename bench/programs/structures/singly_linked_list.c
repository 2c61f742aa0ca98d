// attest: cover
/*
 * Singly linked lists whose nodes belong to the caller: operations with the invariant as their
 * precondition, and as what they promise.
 *
 *     attest cover bench/programs/structures/singly_linked_list.c
 *
 * A list is a pointer to its first node, NULL if it has none. What changes a list takes the address
 * of that pointer.
 */
#include "attest.h"

enum { MOST = 4 };

struct node {
    int key;
    struct node *next;
};

/* Whether a list has an end: one that goes two nodes at a time never meets one that goes one. */
_Bool is_list(const struct node *list)
{
    const struct node *slow = list;
    const struct node *fast = list;

    while (fast && fast->next) {
        slow = slow->next;
        fast = fast->next->next;
        if (slow == fast)
            return 0;
    }
    return 1;
}

/* Whether a list is at an end after `most` nodes or before. */
static _Bool is_short(const struct node *list, int most)
{
    while (list && most > 0) {
        list = list->next;
        most--;
    }
    return !list;
}

/* The invariant, for lists that a search comes to the end of. */
static _Bool repOk(const struct node *list)
{
    return is_short(list, MOST) && is_list(list);
}

_Bool list_has_precond(const struct node *list, const struct node *node)
{
    (void)node;
    return repOk(list);
}

_Bool list_has(const struct node *list, const struct node *node)
{
    while (list && list != node)
        list = list->next;
    return list;
}

/* Whether a node may be added to the list: it is not there, and the list does not begin in it. */
static _Bool is_new(struct node *const *list, const struct node *node)
{
    return list && node && list != &node->next && repOk(*list) && !list_has(*list, node);
}

_Bool list_length_precond(const struct node *list)
{
    return repOk(list);
}

int list_length(const struct node *list)
{
    int length = 0;

    for (; list; list = list->next)
        length++;
    return length;
}

_Bool list_find_precond(struct node *list, int key)
{
    (void)key;
    return repOk(list);
}

/* The first node with the key; NULL if there is none. */
struct node *list_find(struct node *list, int key)
{
    for (; list; list = list->next) {
        if (list->key == key)
            return list;
    }
    return 0;
}

_Bool list_last_precond(struct node *list)
{
    return repOk(list);
}

/* The last node; NULL if there is none. */
struct node *list_last(struct node *list)
{
    if (!list)
        return 0;
    while (list->next)
        list = list->next;
    return list;
}

_Bool list_push_precond(struct node **list, struct node *node)
{
    return is_new(list, node);
}

/* Adds a node before the first. */
void list_push(struct node **list, struct node *node)
{
    node->next = *list;
    *list = node;
    ATTEST_ASSERT(is_list(*list));
}

_Bool list_push_if_absent_precond(struct node **list, struct node *node)
{
    return is_new(list, node);
}

/* Adds a node before the first, unless one with its key is there: returns that. */
struct node *list_push_if_absent(struct node **list, struct node *node)
{
    struct node *there = list_find(*list, node->key);

    if (!there)
        list_push(list, node);
    return there;
}

_Bool list_append_precond(struct node **list, struct node *node)
{
    return is_new(list, node);
}

/* Adds a node after the last. */
void list_append(struct node **list, struct node *node)
{
    while (*list)
        list = &(*list)->next;
    *list = node;
    node->next = 0;
}

_Bool list_concatenate_precond(struct node **list, struct node *other)
{
    return list && repOk(*list) && repOk(other) && (!*list || !list_has(other, list_last(*list)));
}

/* Makes the nodes of another list follow those of the list. They must not share any. */
void list_concatenate(struct node **list, struct node *other)
{
    if (!*list)
        *list = other;
    else
        list_last(*list)->next = other;
    ATTEST_ASSERT(is_list(*list));
}

_Bool list_insert_after_precond(struct node *place, struct node *node)
{
    return place && node && repOk(place) && !list_has(place, node);
}

/* Adds a node after one that is in a list. */
void list_insert_after(struct node *place, struct node *node)
{
    node->next = place->next;
    place->next = node;
    ATTEST_ASSERT(is_list(place));
}

_Bool list_remove_precond(struct node **list, const struct node *node)
{
    (void)node;
    return list && repOk(*list);
}

/* Takes a node out, if it is there. */
_Bool list_remove(struct node **list, const struct node *node)
{
    while (*list && *list != node)
        list = &(*list)->next;
    if (!*list)
        return 0;
    *list = node->next;
    return 1;
}

_Bool list_remove_key_precond(struct node **list, int key)
{
    (void)key;
    return list && repOk(*list);
}

/* Takes all nodes with the key out; returns how many. */
int list_remove_key(struct node **list, int key)
{
    int removed = 0;

    while (*list) {
        if ((*list)->key == key) {
            *list = (*list)->next;
            removed++;
        } else {
            list = &(*list)->next;
        }
    }
    return removed;
}

_Bool list_reverse_precond(struct node **list)
{
    return list && repOk(*list);
}

void list_reverse(struct node **list)
{
    struct node *reversed = 0;

    while (*list) {
        struct node *node = *list;
        *list = node->next;
        node->next = reversed;
        reversed = node;
    }
    *list = reversed;
    ATTEST_ASSERT(is_list(*list));
}
