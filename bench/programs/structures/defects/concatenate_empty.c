// attest: cover -f list_concatenate
// defect: null-dereference 59
// exit: 1
/*
 * Doubly linked lists for which any of their nodes stands. Seeded defect: to concatenate them, the
 * other list must not be empty.
 *
 *     attest cover bench/programs/structures/defects/concatenate_empty.c -f list_concatenate
 */
enum { MOST = 4 };

struct node {
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

/* Whether two lists share no node: then they have different last ones. */
static _Bool are_apart(const struct node *list, const struct node *other)
{
    while (list && list->next)
        list = list->next;
    while (other && other->next)
        other = other->next;
    return !list || list != other;
}

_Bool list_concatenate_precond(struct node **list, struct node *other)
{
    return list && repOk(*list) && repOk(other) && are_apart(*list, other);
}

/* Makes the nodes of another list follow those of the list. They must not share any. */
void list_concatenate(struct node **list, struct node *other)
{
    struct node *last = *list;

    if (!last) {
        *list = other;
        return;
    }
    while (other->prev) /* NULL if the other list is empty */
        other = other->prev;
    while (last->next)
        last = last->next;
    last->next = other;
    other->prev = last;
}
