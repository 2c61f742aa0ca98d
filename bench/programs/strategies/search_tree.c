/*
 * A binary search tree under a sequence of insertions, removals and look-ups, which is an input.
 *
 *     attest cover bench/programs/strategies/search_tree.c -f search_tree --scope file
 */
#include "attest.h"

enum { OPERATIONS = 7, NODES = 5, NONE = -1 };

enum kind { INSERT, REMOVE, LOOK_UP, KINDS };

struct operation {
    unsigned char kind;
    signed char key;
};

struct node {
    signed char key;
    int left;
    int right;
};

struct tree {
    struct node nodes[NODES];
    int used;
    int root;
};

/* The place that holds the node with the key, or would hold it. */
static int *place_of(struct tree *tree, signed char key)
{
    int *place = &tree->root;

    while (*place != NONE) {
        struct node *node = &tree->nodes[*place];
        if (key == node->key) {
            return place;
        }
        if (key < node->key) {
            place = &node->left;
        } else {
            place = &node->right;
        }
    }
    return place;
}

static int insert(struct tree *tree, signed char key)
{
    int *place = place_of(tree, key);

    if (*place != NONE) {
        return 0;
    }
    if (tree->used == NODES) {
        return 0;
    }
    tree->nodes[tree->used].key = key;
    tree->nodes[tree->used].left = NONE;
    tree->nodes[tree->used].right = NONE;
    *place = tree->used;
    tree->used++;
    return 1;
}

static int remove_key(struct tree *tree, signed char key)
{
    int *place = place_of(tree, key);

    if (*place == NONE) {
        return 0;
    }
    struct node *node = &tree->nodes[*place];
    if (node->left == NONE) {
        *place = node->right;
    } else if (node->right == NONE) {
        *place = node->left;
    } else {
        int *next = &node->right;
        while (tree->nodes[*next].left != NONE) {
            next = &tree->nodes[*next].left;
        }
        node->key = tree->nodes[*next].key;
        *next = tree->nodes[*next].right;
    }
    return 1;
}

static int height(const struct tree *tree, int node)
{
    if (node == NONE) {
        return 0;
    }
    int left = height(tree, tree->nodes[node].left);
    int right = height(tree, tree->nodes[node].right);
    if (left > right) {
        return left + 1;
    }
    return right + 1;
}

int search_tree(void)
{
    struct operation operations[OPERATIONS];
    struct tree tree;
    int removed = 0;
    int found = 0;

    ATTEST_INPUT(operations);
    tree.used = 0;
    tree.root = NONE;
    for (int i = 0; i < OPERATIONS; i++) {
        switch (operations[i].kind % KINDS) {
        case INSERT:
            insert(&tree, operations[i].key);
            break;
        case REMOVE:
            removed += remove_key(&tree, operations[i].key);
            break;
        default:
            if (*place_of(&tree, operations[i].key) != NONE) {
                found++;
            }
            break;
        }
    }
    int levels = height(&tree, tree.root);
    if (levels == NODES) {
        return 1;
    }
    if (levels == 3 && tree.used == NODES && removed == 0) {
        return 2;
    }
    if (removed == 3 && found == 1) {
        return 3;
    }
    return 0;
}
