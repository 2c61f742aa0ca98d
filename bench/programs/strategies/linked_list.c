/*
 * Lists as parameters: the pointers, and what they point to, are inputs. Shallow goals on the shape
 * of a list, deep ones on cycles and on what its nodes hold together.
 *
 *     attest cover bench/programs/strategies/linked_list.c -f linked_list --scope file
 */
struct node {
    int value;
    struct node *next;
};

enum { MOST = 6 };

/* How many nodes a list has; -1 if it comes back to its head, MOST + 1 if it has more than MOST. */
static int length(const struct node *head)
{
    int count = 0;
    const struct node *node = head;

    while (node != 0) {
        count++;
        if (count > MOST) {
            return count;
        }
        node = node->next;
        if (node == head) {
            return -1;
        }
    }
    return count;
}

static int is_sorted(const struct node *head)
{
    while (head != 0 && head->next != 0) {
        if (head->value > head->next->value) {
            return 0;
        }
        head = head->next;
    }
    return 1;
}

/* The node of a sorted list with this value. */
static const struct node *find(const struct node *head, int value)
{
    while (head != 0 && head->value <= value) {
        if (head->value == value) {
            return head;
        }
        head = head->next;
    }
    return 0;
}

static int scramble(int value)
{
    return (int)(2u * (unsigned)value + 1u);
}

int linked_list(const struct node *list, int value)
{
    int count = length(list);

    if (count == -1) {
        if (list->value == value) {
            return 1;
        }
        if (value > 0 && list->value == scramble(value)) {
            return 2;
        }
        return 3;
    }
    if (count > MOST) {
        return 4;
    }
    if (!is_sorted(list)) {
        return 5;
    }
    if (count >= 3) {
        const struct node *found = find(list, value);
        if (found != 0) {
            if (found->next == 0) {
                return 6;
            }
            if (found->next->value == scramble(value)) {
                return 7;
            }
        }
    }
    if (count == 4 && list->value == -4711) {
        return 8;
    }
    return 0;
}
