// attest: cover
/*
 * A first-in, first-out queue as a linked list with a pointer to each end.
 *
 *     attest cover bench/programs/structures/queue.c
 *
 * The precondition of each operation is that the queue is one (`queue_ok`), and of at most MAX_LENGTH
 * values.
 */
#include <stddef.h>
#include <stdlib.h>

enum { MAX_LENGTH = 5 };

struct cell {
    struct cell *next; /* the next newer one */
    int value;
};

struct queue {
    struct cell *head; /* the oldest value; null if the queue is empty */
    struct cell *tail; /* the newest one; null if the queue is empty */
};

/* Whether the tail is the last cell from the head on, and the queue not too long. */
_Bool queue_ok(const struct queue *queue)
{
    const struct cell *last = NULL;
    int length = 0;

    if (!queue)
        return 0;
    for (const struct cell *cell = queue->head; cell; cell = cell->next) {
        if (length == MAX_LENGTH)
            return 0;
        length++;
        last = cell;
    }
    return queue->tail == last;
}

int queue_length(const struct queue *queue)
{
    int length = 0;

    for (const struct cell *cell = queue->head; cell; cell = cell->next)
        length++;
    return length;
}

_Bool queue_length_precond(const struct queue *queue)
{
    return queue_ok(queue);
}

/* Adds the value at the end; false if there is no memory for it. */
_Bool queue_enqueue(struct queue *queue, int value)
{
    struct cell *cell = malloc(sizeof *cell);

    if (!cell)
        return 0;
    cell->next = NULL;
    cell->value = value;
    if (queue->tail)
        queue->tail->next = cell;
    else
        queue->head = cell;
    queue->tail = cell;
    return 1;
}

_Bool queue_enqueue_precond(struct queue *queue, int value)
{
    (void)value;
    return queue_ok(queue);
}

/* Takes out the oldest value; false if there is none. */
_Bool queue_dequeue(struct queue *queue, int *value)
{
    struct cell *cell = queue->head;

    if (!cell)
        return 0;
    *value = cell->value;
    queue->head = cell->next;
    if (!queue->head)
        queue->tail = NULL;
    free(cell);
    return 1;
}

_Bool queue_dequeue_precond(struct queue *queue, int *value)
{
    return queue_ok(queue) && value;
}

/* The place of the oldest value; null if there is none. */
int *queue_front(struct queue *queue)
{
    if (!queue->head)
        return NULL;
    return &queue->head->value;
}

_Bool queue_front_precond(struct queue *queue)
{
    return queue_ok(queue);
}

/* Takes out the oldest of the values that are equal to this one; false if there is none. */
_Bool queue_remove(struct queue *queue, int value)
{
    struct cell *before = NULL;
    struct cell *cell = queue->head;

    while (cell && cell->value != value) {
        before = cell;
        cell = cell->next;
    }
    if (!cell)
        return 0;
    if (before)
        before->next = cell->next;
    else
        queue->head = cell->next;
    if (cell == queue->tail)
        queue->tail = before;
    free(cell);
    return 1;
}

_Bool queue_remove_precond(struct queue *queue, int value)
{
    (void)value;
    return queue_ok(queue);
}

/* Moves all values of the other queue to the end of this one. */
void queue_append(struct queue *queue, struct queue *other)
{
    if (!other->head)
        return;
    if (queue->tail)
        queue->tail->next = other->head;
    else
        queue->head = other->head;
    queue->tail = other->tail;
    other->head = NULL;
    other->tail = NULL;
}

/* Queues with a common cell have the same last one. */
_Bool queue_append_precond(struct queue *queue, struct queue *other)
{
    return queue_ok(queue) && queue_ok(other) && queue != other &&
           (!queue->tail || queue->tail != other->tail);
}

/* Turns the order of the values round. */
void queue_reverse(struct queue *queue)
{
    struct cell *behind = NULL;
    struct cell *cell = queue->head;

    queue->tail = cell;
    while (cell) {
        struct cell *next = cell->next;
        cell->next = behind;
        behind = cell;
        cell = next;
    }
    queue->head = behind;
}

_Bool queue_reverse_precond(struct queue *queue)
{
    return queue_ok(queue);
}

/* Takes out all values. */
void queue_clear(struct queue *queue)
{
    while (queue->head) {
        struct cell *cell = queue->head;
        queue->head = cell->next;
        free(cell);
    }
    queue->tail = NULL;
}

_Bool queue_clear_precond(struct queue *queue)
{
    return queue_ok(queue);
}
