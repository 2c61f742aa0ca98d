/*
 * A red-black tree of which five keys are made the nodes.
 *
 *     attest cover bench/programs/red_black_tree.c -f red_black_tree --criterion all-paths
 *
 * It has exactly 541 feasible paths, as many as there are orders of five numbers of which some may
 * be equal (weak orders): the search for a key's place tells less, greater and equal apart, a key
 * that is there already is not added again, and no comparison is made whose outcome is known.
 */
#include "attest.h"

enum { COUNT = 5 };

enum side { LEFT, RIGHT };

struct node {
    int key;
    _Bool red;
    struct node *parent;
    struct node *child[2];
};

struct tree {
    struct node *root;
    struct node nodes[COUNT];
    int used;
};

static struct node *make(struct tree *tree, int key, struct node *parent)
{
    struct node *node = &tree->nodes[tree->used++];

    node->key = key;
    node->red = 1;
    node->parent = parent;
    node->child[LEFT] = 0;
    node->child[RIGHT] = 0;
    return node;
}

static enum side side_of(const struct node *node)
{
    return node->parent->child[LEFT] == node ? LEFT : RIGHT;
}

/* Puts the node's child on the other side in its place, and the node below it on `side`. */
static void rotate(struct tree *tree, struct node *node, enum side side)
{
    struct node *riser = node->child[!side];

    node->child[!side] = riser->child[side];
    if (node->child[!side])
        node->child[!side]->parent = node;
    riser->parent = node->parent;
    if (node->parent)
        node->parent->child[side_of(node)] = riser;
    else
        tree->root = riser;
    riser->child[side] = node;
    node->parent = riser;
}

/* Restores the colours after a red node was added. */
static void repair(struct tree *tree, struct node *node)
{
    while (node->parent && node->parent->red) {
        struct node *parent = node->parent;
        struct node *grandparent = parent->parent;
        enum side side = side_of(parent);
        struct node *uncle = grandparent->child[!side];

        if (uncle && uncle->red) {
            parent->red = 0;
            uncle->red = 0;
            grandparent->red = 1;
            node = grandparent;
            continue;
        }
        if (side_of(node) != side) {
            rotate(tree, parent, side);
            parent = node;
        }
        parent->red = 0;
        grandparent->red = 1;
        rotate(tree, grandparent, !side);
        break;
    }
    tree->root->red = 0;
}

static void add(struct tree *tree, int key)
{
    struct node *parent = 0;
    struct node **place = &tree->root;

    while (*place) {
        parent = *place;
        if (key < parent->key)
            place = &parent->child[LEFT];
        else if (key > parent->key)
            place = &parent->child[RIGHT];
        else
            return;
    }
    *place = make(tree, key, parent);
    repair(tree, *place);
}

/* How many keys are different. */
int red_black_tree(void)
{
    int keys[COUNT];
    struct tree tree = {0};

    ATTEST_INPUT(keys);
    for (int i = 0; i < COUNT; i++)
        add(&tree, keys[i]);
    return tree.used;
}
