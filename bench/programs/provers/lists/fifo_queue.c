// attest: cover -f fifo_queue --scope file --no-allocation-failures --no-replay
/*
 * A queue of jobs gives each job the next number when it comes in and serves jobs in order. Jobs
 * leave the queue in the order in which they came, so each one has the number that the server
 * expects, and the last job has the number before the next one, even where numbers wrap.
 */
#include <stdlib.h>

int input(void);

struct job {
    unsigned number;
    struct job *behind;
};

struct queue {
    struct job *first;
    struct job *last;
};

static int enter(struct queue *queue, unsigned number)
{
    struct job *job = malloc(sizeof *job);

    if (job == NULL) { //~ T unreachable-within, F covered
        return -1;
    }
    job->number = number;
    job->behind = NULL;
    if (queue->first == NULL) { //~ T covered, F covered
        queue->first = job;
    } else {
        queue->last->behind = job;
    }
    queue->last = job;
    return 0;
}

static unsigned leave(struct queue *queue)
{
    struct job *job = queue->first;
    unsigned number = job->number;

    queue->first = job->behind;
    free(job);
    return number;
}

int fifo_queue(unsigned next_number)
{
    struct queue queue = {NULL, NULL};
    unsigned expected = next_number;
    unsigned served = 0;
    int result = 0;

    for (;;) {
        int command = input();
        if (command == 0) { //~ T covered, F covered
            break;
        }
        if (command > 0) { //~ T covered, F covered
            if (enter(&queue, next_number) != 0) { //~ T unreachable-within, F covered
                result = -1;
                break;
            }
            next_number++;
        } else if (queue.first != NULL) { //~ T covered, F covered
            if (leave(&queue) != expected) { //~ T unreachable, F covered
                result = -2;
            }
            expected++;
            if (served < 1000) { //~ T covered, F covered
                served++;
            }
        }
        if (queue.first == NULL) { //~ T covered, F covered
            continue;
        }
        if (queue.last->number + 1 != next_number) { //~ T unreachable, F covered
            result = -3;
        }
        if (queue.last->behind != NULL) { //~ T unreachable, F covered
            result = -4;
        }
    }
    if (queue.first == NULL && expected != next_number) { //~ T unreachable, F covered
        result = -5;
    }
    if (served > 1000) { //~ T unreachable, F covered
        result = -6;
    }
    if (served == 5 && expected == 3) { //~ T covered, F covered
        result = 1;
    }
    while (queue.first != NULL) { //~ T covered, F covered
        leave(&queue);
    }
    return result;
}
