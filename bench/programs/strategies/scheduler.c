/*
 * A scheduler of three priority queues under a sequence of commands, which is an input: the state
 * that a goal needs is built up over many rounds of one loop.
 *
 *     attest cover bench/programs/strategies/scheduler.c -f scheduler --scope file
 */
#include "attest.h"

enum { COMMANDS = 9, LEVELS = 3, ROOM = 4 };

enum kind { SPAWN, RAISE, BLOCK, WAKE, EXPIRE, FINISH };

struct command {
    unsigned char kind;
    unsigned char level;
};

struct queue {
    int jobs[ROOM];
    int count;
};

struct scheduler {
    struct queue ready[LEVELS];
    struct queue blocked;
    int next_job;
    int finished;
};

static int push(struct queue *queue, int job)
{
    if (queue->count == ROOM) {
        return -1;
    }
    queue->jobs[queue->count] = job;
    queue->count++;
    return 0;
}

/* The first job of a queue, which leaves it; 0 if there is none. */
static int pop(struct queue *queue)
{
    if (queue->count == 0) {
        return 0;
    }
    int job = queue->jobs[0];
    queue->count--;
    for (int i = 0; i < queue->count; i++) {
        queue->jobs[i] = queue->jobs[i + 1];
    }
    return job;
}

static struct queue *highest(struct scheduler *scheduler)
{
    for (int level = LEVELS - 1; level > 0; level--) {
        if (scheduler->ready[level].count > 0) {
            return &scheduler->ready[level];
        }
    }
    return &scheduler->ready[0];
}

static int raise_job(struct scheduler *scheduler, unsigned level)
{
    if (level + 1 >= LEVELS) {
        return -2;
    }
    int job = pop(&scheduler->ready[level]);
    if (job == 0) {
        return -3;
    }
    return push(&scheduler->ready[level + 1], job);
}

static int execute(struct scheduler *scheduler, struct command command)
{
    int job;

    if (command.level >= LEVELS) {
        return -4;
    }
    switch (command.kind) {
    case SPAWN:
        scheduler->next_job++;
        return push(&scheduler->ready[command.level], scheduler->next_job);
    case RAISE:
        return raise_job(scheduler, command.level);
    case BLOCK:
        job = pop(highest(scheduler));
        if (job == 0) {
            return -5;
        }
        return push(&scheduler->blocked, job);
    case WAKE:
        job = pop(&scheduler->blocked);
        if (job == 0) {
            return 0;
        }
        return push(&scheduler->ready[command.level], job);
    case EXPIRE:
        job = pop(highest(scheduler));
        if (job == 0) {
            return 0;
        }
        return push(&scheduler->ready[0], job);
    case FINISH:
        if (pop(highest(scheduler)) != 0) {
            scheduler->finished++;
        }
        return 0;
    default:
        return -6;
    }
}

int scheduler(void)
{
    struct command commands[COMMANDS];
    struct scheduler scheduler = {0};

    ATTEST_INPUT(commands);
    for (int i = 0; i < COMMANDS; i++) {
        int failed = execute(&scheduler, commands[i]);
        if (failed < 0) {
            return failed;
        }
    }
    if (scheduler.finished == 3) {
        return 1;
    }
    if (scheduler.blocked.count == 2 && scheduler.ready[2].count == 2) {
        return 2;
    }
    if (scheduler.ready[0].count == ROOM && scheduler.ready[0].jobs[0] == 3) {
        return 3;
    }
    return 0;
}
