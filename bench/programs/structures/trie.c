// attest: cover
/*
 * A trie: a set of words over the letters a, b and c, as a tree with a node for each beginning.
 *
 *     attest cover bench/programs/structures/trie.c
 *
 * The precondition of each operation is that the trie is one (`trie_ok`), and of words of at most
 * MAX_LENGTH letters.
 */
#include <stddef.h>
#include <stdlib.h>

enum { LETTERS = 3, MAX_LENGTH = 3 };

struct node {
    _Bool is_word; /* whether the letters on the way here are a word */
    int letter;    /* which child of its parent it is */
    struct node *parent;
    struct node *children[LETTERS];
};

static _Bool is_leaf(const struct node *node)
{
    for (int i = 0; i < LETTERS; i++) {
        if (node->children[i])
            return 0;
    }
    return 1;
}

_Bool is_leaf_precond(const struct node *node)
{
    return node;
}

/*
 * Whether the nodes below know where they are, and each of them leads to a word, of at most `length`
 * letters from here.
 */
static _Bool below_ok(const struct node *node, int length)
{
    for (int i = 0; i < LETTERS; i++) {
        const struct node *child = node->children[i];
        if (!child)
            continue;
        if (length == 0 || child->parent != node || child->letter != i)
            return 0;
        if (!child->is_word && is_leaf(child))
            return 0;
        if (!below_ok(child, length - 1))
            return 0;
    }
    return 1;
}

_Bool below_ok_precond(const struct node *node, int length)
{
    return node && length >= 0 && length <= MAX_LENGTH;
}

_Bool trie_ok(const struct node *root)
{
    return root && !root->parent && below_ok(root, MAX_LENGTH);
}

/* Which letter it is; LETTERS if it is none of them. */
static int index_of(char letter)
{
    if (letter < 'a' || letter >= 'a' + LETTERS)
        return LETTERS;
    return letter - 'a';
}

/* Whether the word ends within MAX_LENGTH characters. */
static _Bool word_ok(const char *word)
{
    if (!word)
        return 0;
    for (int i = 0; i <= MAX_LENGTH; i++) {
        if (!word[i])
            return 1;
    }
    return 0;
}

/* The node of the word, or of the beginning that it is; null if there is none. */
static struct node *node_of(struct node *root, const char *word)
{
    struct node *node = root;

    while (node && *word) {
        int index = index_of(*word);
        if (index == LETTERS)
            return NULL;
        node = node->children[index];
        word++;
    }
    return node;
}

_Bool node_of_precond(struct node *root, const char *word)
{
    return trie_ok(root) && word_ok(word);
}

_Bool trie_find(struct node *root, const char *word)
{
    const struct node *node = node_of(root, word);

    return node && node->is_word;
}

_Bool trie_find_precond(struct node *root, const char *word)
{
    return trie_ok(root) && word_ok(word);
}

/* Takes nodes away, from this one upwards, that lead to no word. */
static void prune(struct node *node)
{
    while (node->parent && !node->is_word && is_leaf(node)) {
        struct node *parent = node->parent;
        parent->children[node->letter] = NULL;
        free(node);
        node = parent;
    }
}

/* The node is where its letters lead, at most MAX_LENGTH of them. */
_Bool prune_precond(struct node *node)
{
    if (!node)
        return 0;
    for (int length = 0; node->parent; length++) {
        if (length == MAX_LENGTH || node->letter < 0 || node->letter >= LETTERS)
            return 0;
        if (node->parent->children[node->letter] != node)
            return 0;
        node = node->parent;
    }
    return 1;
}

/* Adds the word; false if it is no word, is there already, or if there is no memory for it. */
_Bool trie_insert(struct node *root, const char *word)
{
    struct node *node = root;

    for (; *word; word++) {
        int index = index_of(*word);
        if (index == LETTERS) {
            prune(node);
            return 0;
        }
        if (!node->children[index]) {
            struct node *child = calloc(1, sizeof *child);
            if (!child) {
                prune(node);
                return 0;
            }
            child->letter = index;
            child->parent = node;
            node->children[index] = child;
        }
        node = node->children[index];
    }
    if (node->is_word)
        return 0;
    node->is_word = 1;
    return 1;
}

_Bool trie_insert_precond(struct node *root, const char *word)
{
    return trie_ok(root) && word_ok(word);
}

/* Takes out the word; false if it is not there. */
_Bool trie_remove(struct node *root, const char *word)
{
    struct node *node = node_of(root, word);

    if (!node || !node->is_word)
        return 0;
    node->is_word = 0;
    prune(node);
    return 1;
}

_Bool trie_remove_precond(struct node *root, const char *word)
{
    return trie_ok(root) && word_ok(word);
}

/* How many words there are. */
int trie_count(const struct node *root)
{
    int count = root->is_word;

    for (int i = 0; i < LETTERS; i++) {
        if (root->children[i])
            count += trie_count(root->children[i]);
    }
    return count;
}

_Bool trie_count_precond(const struct node *root)
{
    return trie_ok(root);
}
