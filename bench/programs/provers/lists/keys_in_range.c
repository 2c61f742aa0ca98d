// attest: cover -f keys_in_range --scope file --no-allocation-failures --no-replay
/*
 * A loop pushes keys to the front of a list while input gives any, and brings each key into the
 * range from 10 to 99 before. All keys of the list stay in this range, so that the walk meets none
 * outside, and the sum of up to a thousand keys is between ten times and 99 times their number.
 */
#include <stdlib.h>

unsigned input(void);

enum { LOWEST = 10, HIGHEST = 99, MOST = 1000 };

struct node {
    unsigned key;
    struct node *next;
};

static struct node *push(struct node *head, unsigned key)
{
    struct node *node = malloc(sizeof *node);

    if (node == NULL) { //~ T unreachable-within, F covered
        return NULL;
    }
    if (key < LOWEST) { //~ T covered, F covered
        key = LOWEST;
    } else if (key > HIGHEST) { //~ T covered, F covered
        key = HIGHEST;
    }
    node->key = key;
    node->next = head;
    return node;
}

static void free_all(struct node *head)
{
    while (head != NULL) { //~ T covered, F covered
        struct node *next = head->next;
        free(head);
        head = next;
    }
}

int keys_in_range(void)
{
    struct node *head = NULL;
    unsigned length = 0;
    unsigned sum = 0;
    unsigned at_edges = 0;
    int result = 0;

    while (length < MOST && input() != 0) { //~ T covered, F covered
        struct node *pushed = push(head, input());
        if (pushed == NULL) { //~ T unreachable-within, F covered
            free_all(head);
            return -1;
        }
        head = pushed;
        length++;
    }
    for (struct node *node = head; node != NULL; node = node->next) { //~ T covered, F covered
        if (node->key < LOWEST || node->key > HIGHEST) { //~ T unreachable, F covered
            result = -2;
        }
        if (node->key == LOWEST || node->key == HIGHEST) { //~ T covered, F covered
            at_edges++;
        }
        sum += node->key;
    }
    if (at_edges > length) { //~ T unreachable, F covered
        result = -3;
    }
    if (sum < LOWEST * length || sum > HIGHEST * length) { //~ T unreachable, F covered
        result = -4;
    }
    if ((head == NULL) != (length == 0)) { //~ T unreachable, F covered
        result = -5;
    }
    if (length == 12 && sum == 345) { //~ T covered, F covered
        result = 1;
    }
    if (at_edges == 5 && length == 5) { //~ T covered, F covered
        result = 2;
    }
    free_all(head);
    return result;
}
