// attest: cover -f request_queue --scope file --no-replay
/*
 * A driver keeps requests in a ring of sixteen places and completes them in order. The queue takes
 * only requests of known kinds and refuses them when it is full, so what it gives out is of a
 * known kind, and it holds what was submitted less what was completed, even where these wrap.
 */
unsigned input(void);

enum { PLACES = 16, KINDS = 5 };

struct queue {
    unsigned kinds[PLACES];
    unsigned head;
    unsigned tail;
    unsigned held;
};

static int submit(struct queue *queue, unsigned kind)
{
    if (kind >= KINDS) { //~ T covered, F covered
        return -1;
    }
    if (queue->held == PLACES) { //~ T covered, F covered
        return -2;
    }
    queue->kinds[queue->tail] = kind;
    queue->tail = (queue->tail + 1) % PLACES;
    queue->held++;
    return 0;
}

static unsigned complete(struct queue *queue)
{
    unsigned kind = queue->kinds[queue->head];

    queue->head = (queue->head + 1) % PLACES;
    queue->held--;
    return kind;
}

int request_queue(unsigned first_number)
{
    struct queue queue = {{0}, 0, 0, 0};
    unsigned submitted = first_number;
    unsigned completed = first_number;
    unsigned refused = 0;

    for (;;) {
        unsigned command = input();
        if (command == 0) { //~ T covered, F covered
            break;
        }
        if (command % 2 == 1) { //~ T covered, F covered
            int failed = submit(&queue, command / 2);
            if (failed == 0) { //~ T covered, F covered
                submitted++;
            } else if (failed == -2) { //~ T covered, F covered
                refused++;
            }
        } else if (queue.held > 0) { //~ T covered, F covered
            unsigned kind = complete(&queue);
            if (kind >= KINDS) { //~ T unreachable, F covered
                return -1;
            }
            completed++;
        }
        if (queue.held > PLACES) { //~ T unreachable, F covered
            return -2;
        }
        if (submitted - completed != queue.held) { //~ T unreachable, F covered
            return -3;
        }
        if ((queue.head + queue.held) % PLACES != queue.tail) { //~ T unreachable, F covered
            return -4;
        }
    }
    if (refused == 3) { //~ T covered, F covered
        return 1;
    }
    if (submitted < completed) { //~ T covered, F covered
        return 2;
    }
    return 0;
}
