// attest: cover -f ordered_list --scope file --no-allocation-failures --no-replay
/*
 * A loop inserts keys into a singly linked list, each one in front of the first key that is not
 * smaller, and leaves out keys that are there already. So the keys ascend strictly from the head
 * on, and the walk meets as many of them as were inserted.
 */
#include <stdlib.h>

unsigned input(void);

enum { LIMIT = 5000 };

struct node {
    unsigned key;
    struct node *next;
};

static int insert(struct node **link, unsigned key)
{
    struct node *node;

    while (*link != NULL && (*link)->key < key) { //~ T covered, F covered
        link = &(*link)->next;
    }
    if (*link != NULL && (*link)->key == key) { //~ T covered, F covered
        return 0;
    }
    node = malloc(sizeof *node);
    if (node == NULL) { //~ T unreachable-within, F covered
        return -1;
    }
    node->key = key;
    node->next = *link;
    *link = node;
    return 1;
}

static void free_all(struct node *head)
{
    while (head != NULL) { //~ T covered, F covered
        struct node *next = head->next;
        free(head);
        head = next;
    }
}

int ordered_list(void)
{
    struct node *head = NULL;
    unsigned inserted = 0;
    unsigned walked = 0;
    unsigned twice = 0;
    int descents = 0;
    int result = 0;

    for (;;) {
        unsigned key = input();
        int made;
        if (key >= LIMIT) { //~ T covered, F covered
            break;
        }
        made = insert(&head, key);
        if (made < 0) { //~ T unreachable-within, F covered
            free_all(head);
            return -1;
        }
        if (made == 1) { //~ T covered, F covered
            inserted++;
        } else if (twice < 100) { //~ T covered, F covered
            twice++;
        }
    }
    for (struct node *node = head; node != NULL; node = node->next) { //~ T covered, F covered
        if (node->key >= LIMIT) { //~ T unreachable, F covered
            result = -2;
        }
        if (node->next != NULL && node->next->key <= node->key) { //~ T unreachable, F covered
            descents = 1;
        }
        walked++;
    }
    if (descents) { //~ T unreachable, F covered
        result = -3;
    }
    if (walked != inserted) { //~ T unreachable, F covered
        result = -4;
    }
    if (inserted > LIMIT) { //~ T unreachable, F covered
        result = -5;
    }
    if (inserted == 4 && twice == 2) { //~ T covered, F covered
        result = 1;
    }
    free_all(head);
    return result;
}
