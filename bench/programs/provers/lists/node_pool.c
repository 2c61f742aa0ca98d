// attest: cover -f node_pool --scope file --no-allocation-failures --no-replay
/*
 * A pool makes up to a hundred nodes, then moves them between a list of free and a list of used
 * ones, and marks them as it does. A node is in one list at a time and its mark says in which, so
 * the lengths of both lists add up to the size of the pool, and only used nodes have an owner.
 */
#include <stdlib.h>

unsigned input(void);

enum { MOST = 100 };

struct node {
    int is_used;
    unsigned owner; /* not 0 if it is used */
    struct node *next;
};

static struct node *make_pool(unsigned size)
{
    struct node *pool = NULL;

    for (unsigned i = 0; i < size; i++) { //~ T covered, F covered
        struct node *node = malloc(sizeof *node);
        if (node == NULL) { //~ T unreachable-within, F covered
            return pool;
        }
        node->is_used = 0;
        node->owner = 0;
        node->next = pool;
        pool = node;
    }
    return pool;
}

static void move_first(struct node **from, struct node **to, unsigned owner)
{
    struct node *node = *from;

    *from = node->next;
    node->next = *to;
    node->is_used = owner != 0;
    node->owner = owner;
    *to = node;
}

/* Frees the nodes of a list and returns their number, or MOST + 1 if a mark is wrong. */
static unsigned take_down(struct node *list, int is_used)
{
    unsigned length = 0;
    int is_wrong = 0;

    while (list != NULL) { //~ T covered, F covered
        struct node *next = list->next;
        if (list->is_used != is_used) { //~ T unreachable, F covered
            is_wrong = 1;
        }
        if ((list->owner != 0) != is_used) { //~ T unreachable, F covered
            is_wrong = 1;
        }
        free(list);
        list = next;
        length++;
    }
    return is_wrong ? MOST + 1 : length; //~ T unreachable, F covered
}

int node_pool(unsigned size)
{
    struct node *free_nodes;
    struct node *used_nodes = NULL;
    unsigned used = 0;
    unsigned most_used = 0;
    unsigned used_length;
    unsigned free_length;

    if (size > MOST) { //~ T covered, F covered
        return 0;
    }
    free_nodes = make_pool(size);
    for (;;) {
        unsigned command = input();
        if (command == 1) { //~ T covered, F covered
            break;
        }
        if (command % 2 == 0) { //~ T covered, F covered
            if (used_nodes != NULL) { //~ T covered, F covered
                move_first(&used_nodes, &free_nodes, 0);
                used--;
            }
        } else if (free_nodes != NULL) { //~ T covered, F covered
            move_first(&free_nodes, &used_nodes, command);
            used++;
        }
        if (used > size) { //~ T unreachable, F covered
            return -1;
        }
        if (used > most_used) { //~ T covered, F covered
            most_used = used;
        }
    }
    used_length = take_down(used_nodes, 1);
    free_length = take_down(free_nodes, 0);
    if (used_length != used) { //~ T unreachable, F covered
        return -2;
    }
    if (used_length + free_length != size) { //~ T unreachable-within, F covered
        return -3;
    }
    if (most_used == size && size == 30) { //~ T covered, F covered
        return 1;
    }
    return most_used == 5 && used == 2 ? 2 : 0; //~ T covered, F covered
}
