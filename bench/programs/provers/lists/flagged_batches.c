// attest: cover -f flagged_batches --scope file --no-allocation-failures --no-replay
/*
 * A logger collects records in a list, with a flag that says whether they are urgent. It writes
 * the whole list out before the mode changes, so all records in the list have the flag of the mode,
 * and no record has a level that its mode excludes.
 */
#include <stdlib.h>

unsigned input(void);

enum { CALM, URGENT };

struct record {
    int flag;
    unsigned level; /* 0 to 4 if it is calm, 5 to 9 if it is urgent */
    struct record *older;
};

static int add(struct record **newest, int mode, unsigned level)
{
    struct record *record = malloc(sizeof *record);

    if (record == NULL) { //~ T unreachable-within, F covered
        return -1;
    }
    record->flag = mode;
    record->level = mode == URGENT ? 5 + level % 5 : level % 5; //~ T covered, F covered
    record->older = *newest;
    *newest = record;
    return 0;
}

/* Writes all records out and returns their number, or 0 if one of them is not of the mode. */
static unsigned write_out(struct record **newest, int mode)
{
    unsigned written = 0;
    int is_wrong = 0;

    while (*newest != NULL) { //~ T covered, F covered
        struct record *record = *newest;
        if (record->flag != mode) { //~ T unreachable, F covered
            is_wrong = 1;
        }
        if ((record->level >= 5) != (mode == URGENT)) { //~ T unreachable, F covered
            is_wrong = 1;
        }
        if (record->level > 9) { //~ T unreachable, F covered
            is_wrong = 1;
        }
        *newest = record->older;
        free(record);
        written++;
    }
    return is_wrong ? 0 : written; //~ T unreachable, F covered
}

int flagged_batches(void)
{
    struct record *newest = NULL;
    int mode = CALM;
    unsigned held = 0;
    unsigned batches = 0;
    unsigned largest_batch = 0;

    while (batches < 100) { //~ T covered, F covered
        unsigned command = input();
        if (command == 0) { //~ T covered, F covered
            break;
        }
        if (command != 1 && held < 50) { //~ T covered, F covered
            if (add(&newest, mode, command) != 0) { //~ T unreachable-within, F covered
                break;
            }
            held++;
            continue;
        }
        if (held > largest_batch) { //~ T covered, F covered
            largest_batch = held;
        }
        if (write_out(&newest, mode) != held) { //~ T unreachable, F covered
            return -1;
        }
        held = 0;
        batches++;
        mode = mode == CALM ? URGENT : CALM; //~ T covered, F covered
    }
    if ((mode == URGENT) != (batches % 2 == 1)) { //~ T unreachable, F covered
        return -2;
    }
    if (write_out(&newest, mode) != held) { //~ T unreachable, F covered
        return -3;
    }
    if (largest_batch > 50) { //~ T unreachable, F covered
        return -4;
    }
    if (largest_batch == 50) { //~ T covered, F covered
        return 1;
    }
    return batches == 7 && held == 3 ? 2 : 0; //~ T covered, F covered
}
