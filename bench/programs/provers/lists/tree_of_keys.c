// attest: cover -f tree_of_keys --scope file --no-allocation-failures --no-replay
/*
 * A loop inserts keys into a search tree, smaller keys to the left, larger ones to the right. A
 * recursive walk counts the keys and compares each one with the bounds that its ancestors set: it
 * meets no key outside of its bounds, and as many keys as the loop has inserted.
 */
#include <stdlib.h>

unsigned input(void);

enum { LIMIT = 10000, MOST = 300 };

struct node {
    unsigned key;
    struct node *left;
    struct node *right;
};

static int insert(struct node **link, unsigned key)
{
    struct node *node;

    while (*link != NULL) { //~ T covered, F covered
        if (key == (*link)->key) { //~ T covered, F covered
            return 0;
        }
        link = key < (*link)->key ? &(*link)->left : &(*link)->right; //~ T covered, F covered
    }
    node = malloc(sizeof *node);
    if (node == NULL) { //~ T unreachable-within, F covered
        return -1;
    }
    node->key = key;
    node->left = NULL;
    node->right = NULL;
    *link = node;
    return 1;
}

/* Counts the keys and frees the nodes; `wrong` counts the keys that are not in [low, high). */
static unsigned take_down(struct node *node, unsigned low, unsigned high, unsigned *wrong)
{
    unsigned keys;

    if (node == NULL) { //~ T covered, F covered
        return 0;
    }
    if (node->key < low || node->key >= high) { //~ T unreachable, F covered
        ++*wrong;
    }
    keys = take_down(node->left, low, node->key, wrong);
    keys += take_down(node->right, node->key + 1, high, wrong);
    free(node);
    return keys + 1;
}

int tree_of_keys(void)
{
    struct node *root = NULL;
    unsigned inserted = 0;
    unsigned refused = 0;
    unsigned smallest = LIMIT;
    unsigned leftmost = LIMIT;
    unsigned wrong = 0;
    unsigned steps_left = 0;

    while (inserted < MOST) { //~ T covered, F covered
        unsigned key = input();
        int made;
        if (key >= LIMIT) { //~ T covered, F covered
            break;
        }
        made = insert(&root, key);
        if (made < 0) { //~ T unreachable-within, F covered
            break;
        }
        if (made == 1) { //~ T covered, F covered
            inserted++;
        } else {
            refused |= 1;
        }
        if (key < smallest) { //~ T covered, F covered
            smallest = key;
        }
    }
    for (struct node *node = root; node != NULL; node = node->left) { //~ T covered, F covered
        leftmost = node->key;
        steps_left++;
    }
    if (leftmost != smallest) { //~ T unreachable, F covered
        wrong++;
    }
    if (take_down(root, 0, LIMIT, &wrong) != inserted) { //~ T unreachable, F covered
        return -1;
    }
    if (wrong > 0) { //~ T unreachable, F covered
        return -2;
    }
    if (steps_left > inserted) { //~ T unreachable, F covered
        return -3;
    }
    if (steps_left == 5 && inserted == 9) { //~ T covered, F covered
        return 1;
    }
    return refused && inserted == MOST ? 2 : 0; //~ T covered, F covered
}
