// attest: cover -f doubly_linked --scope file --no-allocation-failures --no-replay
/*
 * Commands add nodes at both ends of a doubly linked list and take them off again. Each command
 * sets the links of both neighbours, so the node behind a next link links back, the first node has
 * no node before it, and the last one has none behind it and is the tail.
 */
#include <stdlib.h>

unsigned input(void);

struct node {
    struct node *previous;
    struct node *next;
    unsigned value;
};

struct list {
    struct node *head;
    struct node *tail;
};

static int add_first(struct list *list, unsigned value)
{
    struct node *node = malloc(sizeof *node);

    if (node == NULL) { //~ T unreachable-within, F covered
        return -1;
    }
    node->previous = NULL;
    node->next = list->head;
    node->value = value;
    if (list->head != NULL) { //~ T covered, F covered
        list->head->previous = node;
    } else {
        list->tail = node;
    }
    list->head = node;
    return 0;
}

static int add_last(struct list *list, unsigned value)
{
    struct node *node = malloc(sizeof *node);

    if (node == NULL) { //~ T unreachable-within, F covered
        return -1;
    }
    node->previous = list->tail;
    node->next = NULL;
    node->value = value;
    if (list->tail != NULL) { //~ T covered, F covered
        list->tail->next = node;
    } else {
        list->head = node;
    }
    list->tail = node;
    return 0;
}

static void remove_first(struct list *list)
{
    struct node *node = list->head;

    list->head = node->next;
    if (list->head != NULL) { //~ T covered, F covered
        list->head->previous = NULL;
    } else {
        list->tail = NULL;
    }
    free(node);
}

static void remove_last(struct list *list)
{
    struct node *node = list->tail;

    list->tail = node->previous;
    if (list->tail != NULL) { //~ T covered, F covered
        list->tail->next = NULL;
    } else {
        list->head = NULL;
    }
    free(node);
}

static int check(const struct list *list)
{
    if ((list->head == NULL) != (list->tail == NULL)) { //~ T unreachable, F covered
        return -1;
    }
    if (list->head != NULL && list->head->previous != NULL) { //~ T unreachable, F covered
        return -2;
    }
    for (struct node *node = list->head; node != NULL; node = node->next) { //~ T covered, F covered
        if (node->next == NULL && node != list->tail) { //~ T unreachable, F covered
            return -3;
        }
        if (node->next != NULL && node->next->previous != node) { //~ T unreachable, F covered
            return -4;
        }
        if (node->value % 2 != 0) { //~ T unreachable, F covered
            return -5;
        }
    }
    return 0;
}

int doubly_linked(unsigned commands)
{
    struct list list = {NULL, NULL};
    int result = 0;

    while (commands-- > 0 && result == 0) { //~ T covered, F covered
        switch (input()) {
        case 1: //~ case 1 covered
            result = add_first(&list, 2 * input());
            break;
        case 2: //~ case 2 covered
            result = add_last(&list, 2 * input());
            break;
        case 3: //~ case 3 covered
            if (list.head != NULL) { //~ T covered, F covered
                remove_first(&list);
            }
            break;
        case 4: //~ case 4 covered
            if (list.tail != NULL) { //~ T covered, F covered
                remove_last(&list);
            }
            break;
        default: //~ default covered
            break;
        }
    }
    if (result == 0 && check(&list) != 0) { //~ T unreachable, F covered
        result = -2;
    }
    if (list.head != list.tail && list.head->value == list.tail->value) { //~ T covered, F covered
        result = 1;
    }
    while (list.head != NULL) { //~ T covered, F covered
        remove_first(&list);
    }
    if (list.tail != NULL) { //~ T unreachable, F covered
        return -3;
    }
    return result;
}
