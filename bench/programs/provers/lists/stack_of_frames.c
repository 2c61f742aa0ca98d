// attest: cover -f stack_of_frames --scope file --no-allocation-failures --no-replay
/*
 * An interpreter pushes a frame for each call and pops it at the return; a frame keeps its depth
 * and what the calls below have reserved. The depth of a frame is one more than that of the frame
 * below, so that the depths descend to one, and the memory is what all frames reserve.
 */
#include <stdlib.h>

unsigned input(void);

enum { DEEPEST = 200, LARGEST_FRAME = 64 };

struct frame {
    struct frame *below;
    unsigned depth;
    unsigned base; /* what the frames below reserve */
    unsigned size;
};

static struct frame *call(struct frame *top, unsigned size)
{
    struct frame *frame = malloc(sizeof *frame);

    if (frame == NULL) { //~ T unreachable-within, F covered
        return NULL;
    }
    frame->below = top;
    frame->depth = top == NULL ? 1 : top->depth + 1; //~ T covered, F covered
    frame->base = top == NULL ? 0 : top->base + top->size; //~ T covered, F covered
    frame->size = size;
    return frame;
}

static struct frame *leave(struct frame *top)
{
    struct frame *below = top->below;

    free(top);
    return below;
}

static int check(const struct frame *top, unsigned depth, unsigned reserved)
{
    while (top != NULL) { //~ T covered, F covered
        if (top->depth != depth) { //~ T unreachable, F covered
            return -1;
        }
        if (top->size == 0 || top->size > LARGEST_FRAME) { //~ T unreachable, F covered
            return -2;
        }
        if (top->base + top->size != reserved) { //~ T unreachable, F covered
            return -3;
        }
        reserved = top->base;
        depth--;
        top = top->below;
    }
    if (depth != 0 || reserved != 0) { //~ T unreachable, F covered
        return -4;
    }
    return 0;
}

int stack_of_frames(void)
{
    struct frame *top = NULL;
    unsigned depth = 0;
    unsigned reserved = 0;
    unsigned deepest = 0;
    int result = 0;

    for (;;) {
        unsigned command = input();
        if (command == 0) { //~ T covered, F covered
            break;
        }
        if (command <= LARGEST_FRAME && depth < DEEPEST) { //~ T covered, F covered
            struct frame *frame = call(top, command);
            if (frame == NULL) { //~ T unreachable-within, F covered
                result = -1;
                break;
            }
            top = frame;
            depth++;
            reserved += command;
        } else if (top != NULL) { //~ T covered, F covered
            reserved -= top->size;
            depth--;
            top = leave(top);
        }
        if (depth > deepest) { //~ T covered, F covered
            deepest = depth;
        }
        if (reserved > DEEPEST * LARGEST_FRAME) { //~ T unreachable, F covered
            result = -2;
        }
    }
    if (check(top, depth, reserved) != 0) { //~ T unreachable, F covered
        result = -3;
    }
    if (deepest == DEEPEST) { //~ T covered, F covered
        result = 1;
    } else if (deepest == 6 && reserved == 100) { //~ T covered, F covered
        result = 2;
    }
    while (top != NULL) { //~ T covered, F covered
        top = leave(top);
    }
    return result;
}
