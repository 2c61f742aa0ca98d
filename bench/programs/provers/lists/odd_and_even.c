// attest: cover -f odd_and_even --scope file --no-allocation-failures --no-replay
/*
 * A loop builds a list of numbers, and a second one moves its nodes to two lists, for odd numbers
 * and for even ones. A node goes to the list of its number and no node is made or lost, so each
 * list has numbers of one kind only, and the two lengths add up to that of the first list.
 */
#include <stdlib.h>

unsigned input(void);

enum { MOST = 2000 };

struct node {
    unsigned number;
    struct node *next;
};

static void free_all(struct node *head)
{
    while (head != NULL) { //~ T covered, F covered
        struct node *next = head->next;
        free(head);
        head = next;
    }
}

static void split(struct node *head, struct node **odd, struct node **even)
{
    while (head != NULL) { //~ T covered, F covered
        struct node *next = head->next;
        struct node **list = head->number % 2 == 1 ? odd : even; //~ T covered, F covered
        head->next = *list;
        *list = head;
        head = next;
    }
}

int odd_and_even(void)
{
    struct node *head = NULL;
    struct node *odd = NULL;
    struct node *even = NULL;
    unsigned length = 0;
    unsigned odd_length = 0;
    unsigned even_length = 0;
    int result = 0;

    while (length < MOST) { //~ T covered, F covered
        unsigned number = input();
        struct node *node;
        if (number == 0) { //~ T covered, F covered
            break;
        }
        node = malloc(sizeof *node);
        if (node == NULL) { //~ T unreachable-within, F covered
            free_all(head);
            return -1;
        }
        node->number = number;
        node->next = head;
        head = node;
        length++;
    }
    split(head, &odd, &even);
    for (struct node *node = odd; node != NULL; node = node->next) { //~ T covered, F covered
        if (node->number % 2 == 0) { //~ T unreachable, F covered
            result = -2;
        }
        odd_length++;
    }
    for (struct node *node = even; node != NULL; node = node->next) { //~ T covered, F covered
        if (node->number % 2 == 1) { //~ T unreachable, F covered
            result = -3;
        }
        if (node->number == 0) { //~ T unreachable, F covered
            result = -4;
        }
        even_length++;
    }
    if (odd_length + even_length != length) { //~ T unreachable, F covered
        result = -5;
    }
    if (length > MOST) { //~ T unreachable, F covered
        result = -6;
    }
    if (odd_length == 9 && even_length == 4) { //~ T covered, F covered
        result = 1;
    }
    if (odd_length == MOST) { //~ T covered, F covered
        result = 2;
    }
    free_all(odd);
    free_all(even);
    return result;
}
