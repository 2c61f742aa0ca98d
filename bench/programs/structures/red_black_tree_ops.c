// attest: cover
/*
 * The operations of a red-black tree whose nodes know their parents.
 *
 *     attest cover bench/programs/structures/red_black_tree_ops.c
 *
 * The precondition of each operation is that the tree is one (`tree_ok`) of at most MAX_NODES nodes;
 * those of the helpers say in what state the operations leave it to them.
 */
#include <limits.h>
#include <stddef.h>
#include <stdlib.h>

enum { MAX_NODES = 7, BROKEN = -1 };

struct node {
    int key;
    _Bool red; /* if not, it is black */
    struct node *parent;
    struct node *left;  /* what is less than the key */
    struct node *right; /* what is greater */
};

struct tree {
    struct node *root;
};

struct check {
    const struct node *added; /* a red node for which the rules of colour need not hold */
    int room;                 /* how many nodes there may still be */
};

/*
 * How many black nodes are on each way down from the node; BROKEN if they are not equally many, or
 * if any node has a wrong parent, a key that is not between the two, or a wrong colour.
 */
int black_height(const struct node *node, const struct node *parent, long long low, long long high,
                 struct check *check)
{
    if (!node)
        return 0;
    if (check->room == 0)
        return BROKEN;
    check->room--;
    if (node->parent != parent)
        return BROKEN;
    if (node->key <= low || node->key >= high)
        return BROKEN;
    if (node->red && node != check->added && (!parent || parent->red))
        return BROKEN;
    int left = black_height(node->left, node, low, node->key, check);
    if (left == BROKEN)
        return BROKEN;
    int right = black_height(node->right, node, node->key, high, check);
    if (right != left)
        return BROKEN;
    return left + !node->red;
}

_Bool black_height_precond(const struct node *node, const struct node *parent, long long low,
                           long long high, struct check *check)
{
    (void)node, (void)parent, (void)low, (void)high;
    return check && check->room >= 0 && check->room <= MAX_NODES;
}

/* Whether it is a red-black tree, but for the colour of the node `added`, if that is not null. */
_Bool tree_ok(const struct tree *tree, const struct node *added)
{
    struct check check = {added, MAX_NODES};

    return tree && black_height(tree->root, NULL, LLONG_MIN, LLONG_MAX, &check) != BROKEN;
}

/* The node with the key; null if there is none. */
struct node *tree_find(const struct tree *tree, int key)
{
    struct node *node = tree->root;

    while (node && node->key != key) {
        if (key < node->key)
            node = node->left;
        else
            node = node->right;
    }
    return node;
}

_Bool tree_find_precond(const struct tree *tree, int key)
{
    (void)key;
    return tree_ok(tree, NULL);
}

/* Whether the node is one of a tree's, which is a red-black tree but for the node `added`. */
static _Bool belongs(const struct tree *tree, const struct node *node, const struct node *added)
{
    return node && tree_ok(tree, added) && tree_find(tree, node->key) == node;
}

/* The node with the least key; null if the tree is empty. */
struct node *tree_min(const struct tree *tree)
{
    struct node *node = tree->root;

    if (!node)
        return NULL;
    while (node->left)
        node = node->left;
    return node;
}

_Bool tree_min_precond(const struct tree *tree)
{
    return tree_ok(tree, NULL);
}

/* The node with the next greater key; null if there is none. */
struct node *tree_next(struct node *node)
{
    if (node->right) {
        node = node->right;
        while (node->left)
            node = node->left;
        return node;
    }
    while (node->parent && node == node->parent->right)
        node = node->parent;
    return node->parent;
}

_Bool tree_next_precond(struct node *node)
{
    struct tree tree = {node};

    for (int i = 0; i < MAX_NODES && tree.root && tree.root->parent; i++)
        tree.root = tree.root->parent;
    return belongs(&tree, node, NULL);
}

int tree_size(const struct tree *tree)
{
    int size = 0;

    for (struct node *node = tree_min(tree); node; node = tree_next(node))
        size++;
    return size;
}

_Bool tree_size_precond(const struct tree *tree)
{
    return tree_ok(tree, NULL);
}

/* Puts a node, or nothing, where the old one is. */
static void replace(struct tree *tree, const struct node *old, struct node *node)
{
    struct node *parent = old->parent;

    if (!parent)
        tree->root = node;
    else if (old == parent->left)
        parent->left = node;
    else
        parent->right = node;
    if (node)
        node->parent = parent;
}

_Bool replace_precond(struct tree *tree, const struct node *old, struct node *node)
{
    return belongs(tree, old, NULL) && (!node || node->parent == old);
}

/* A rotation: a child and its parent change places and colours. */
static void rise(struct tree *tree, struct node *node)
{
    struct node *parent = node->parent;
    struct node *moved;
    _Bool was_red = node->red;

    replace(tree, parent, node);
    if (node == parent->left) {
        moved = node->right;
        parent->left = moved;
        node->right = parent;
    } else {
        moved = node->left;
        parent->right = moved;
        node->left = parent;
    }
    if (moved)
        moved->parent = parent;
    parent->parent = node;
    node->red = parent->red;
    parent->red = was_red;
}

_Bool rise_precond(struct tree *tree, struct node *node)
{
    return belongs(tree, node, NULL) && node->parent;
}

static _Bool is_red(const struct node *node)
{
    return node && node->red;
}

/* Restores the colours after a red node was added, which may be the root or below a red node. */
static void repair(struct tree *tree, struct node *node)
{
    while (is_red(node->parent)) {
        struct node *parent = node->parent;
        struct node *grandparent = parent->parent;
        struct node *inner = parent->right;
        struct node *uncle = grandparent->right;

        if (parent == uncle) {
            inner = parent->left;
            uncle = grandparent->left;
        }
        if (!is_red(uncle)) {
            if (node == inner) {
                rise(tree, node);
                parent = node;
            }
            rise(tree, parent);
            return;
        }
        parent->red = 0;
        uncle->red = 0;
        grandparent->red = 1;
        node = grandparent;
    }
    tree->root->red = 0;
}

_Bool repair_precond(struct tree *tree, struct node *node)
{
    return belongs(tree, node, node) && node->red;
}

/* Adds the key; false if it is there already, or if there is no memory for it. */
_Bool tree_insert(struct tree *tree, int key)
{
    struct node *parent = NULL;
    struct node **place = &tree->root;

    while (*place) {
        parent = *place;
        if (key < parent->key)
            place = &parent->left;
        else if (key > parent->key)
            place = &parent->right;
        else
            return 0;
    }
    struct node *node = malloc(sizeof *node);
    if (!node)
        return 0;
    *node = (struct node){.key = key, .red = 1, .parent = parent};
    *place = node;
    repair(tree, node);
    return 1;
}

_Bool tree_insert_precond(struct tree *tree, int key)
{
    (void)key;
    return tree_ok(tree, NULL);
}

/* Changes the tree so that a black node without children can go. */
static void prepare_removal(struct tree *tree, struct node *node)
{
    while (node->parent && !node->red) {
        struct node *parent = node->parent;
        struct node *sibling;

        if (node == parent->left) {
            if (parent->right->red)
                rise(tree, parent->right);
            sibling = parent->right;
            if (is_red(sibling->left) || is_red(sibling->right)) {
                if (!is_red(sibling->right))
                    rise(tree, sibling->left);
                parent->right->right->red = 0;
                rise(tree, parent->right);
                return;
            }
        } else {
            if (parent->left->red)
                rise(tree, parent->left);
            sibling = parent->left;
            if (is_red(sibling->left) || is_red(sibling->right)) {
                if (!is_red(sibling->left))
                    rise(tree, sibling->right);
                parent->left->left->red = 0;
                rise(tree, parent->left);
                return;
            }
        }
        sibling->red = 1;
        node = parent;
    }
    node->red = 0;
}

_Bool prepare_removal_precond(struct tree *tree, struct node *node)
{
    return belongs(tree, node, NULL) && !node->red && !node->left && !node->right;
}

/* Takes out the key; false if it is not there. */
_Bool tree_delete(struct tree *tree, int key)
{
    struct node *node = tree_find(tree, key);

    if (!node)
        return 0;
    if (node->left && node->right) {
        struct node *next = tree_next(node);
        node->key = next->key;
        node = next;
    }
    struct node *child = node->left ? node->left : node->right;
    if (child)
        child->red = 0;
    else if (!node->red)
        prepare_removal(tree, node);
    replace(tree, node, child);
    free(node);
    return 1;
}

_Bool tree_delete_precond(struct tree *tree, int key)
{
    (void)key;
    return tree_ok(tree, NULL);
}
