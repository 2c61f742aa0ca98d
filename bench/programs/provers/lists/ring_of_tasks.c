// attest: cover -f ring_of_tasks --scope file --no-allocation-failures --no-replay
/*
 * A scheduler keeps tasks in a ring: new ones go behind the current task, a turn goes on to the
 * next one, and the task behind the current one may end. The ring is closed after each command, so
 * as many steps as there are tasks lead back, no earlier step does, and no link is null.
 */
#include <stdlib.h>

unsigned input(void);

enum { MOST_TASKS = 60, PRIORITIES = 8 };

struct task {
    unsigned priority;
    struct task *next;
};

static struct task *add(struct task *current, unsigned priority)
{
    struct task *task = malloc(sizeof *task);

    if (task == NULL) { //~ T unreachable-within, F covered
        return NULL;
    }
    task->priority = priority;
    if (current == NULL) { //~ T covered, F covered
        task->next = task;
        return task;
    }
    task->next = current->next;
    current->next = task;
    return current;
}

static struct task *end_next(struct task *current)
{
    struct task *ended = current->next;

    if (ended == current) { //~ T covered, F covered
        free(current);
        return NULL;
    }
    current->next = ended->next;
    free(ended);
    return current;
}

static int check(const struct task *current, unsigned tasks)
{
    const struct task *task = current;

    for (unsigned step = 0; step < tasks; step++) { //~ T covered, F covered
        if (task == NULL) { //~ T unreachable, F covered
            return -1;
        }
        if (step > 0 && task == current) { //~ T unreachable, F covered
            return -2;
        }
        if (task->priority >= PRIORITIES) { //~ T unreachable, F covered
            return -3;
        }
        task = task->next;
    }
    return task == current ? 0 : -4; //~ T covered, F unreachable
}

int ring_of_tasks(void)
{
    struct task *current = NULL;
    unsigned tasks = 0;
    unsigned most = 0;
    unsigned turns = 0;
    int result = 0;

    for (;;) {
        unsigned command = input();
        if (command == 0) { //~ T covered, F covered
            break;
        }
        if (command == 1 && current != NULL) { //~ T covered, F covered
            current = current->next;
            if (turns < 500) { //~ T covered, F covered
                turns++;
            }
        } else if (command == 2 && current != NULL) { //~ T covered, F covered
            current = end_next(current);
            tasks--;
        } else if (tasks < MOST_TASKS) { //~ T covered, F covered
            struct task *with_new = add(current, command % PRIORITIES);
            if (with_new == NULL) { //~ T unreachable-within, F covered
                result = -1;
                break;
            }
            current = with_new;
            tasks++;
        }
        if (tasks > most) { //~ T covered, F covered
            most = tasks;
        }
        if ((tasks == 0) != (current == NULL)) { //~ T unreachable, F covered
            result = -2;
        }
    }
    if (check(current, tasks) != 0) { //~ T unreachable, F covered
        result = -3;
    }
    if (most == MOST_TASKS && tasks == 1) { //~ T covered, F covered
        result = 1;
    }
    if (turns == 6 && most == 4) { //~ T covered, F covered
        result = 2;
    }
    while (current != NULL) { //~ T covered, F covered
        current = end_next(current);
    }
    return result;
}
