// attest: cover -f lock_order --scope file --no-replay
/*
 * A server takes two locks, always the table's before the row's, and releases them in the opposite
 * order in an endless event loop. Both handlers leave a lock as its flag says, so no lock is taken
 * twice or released when it is free, and the row's lock is never held without the table's.
 */
int input(void);

enum { FREE, HELD };

enum event { READ = 1, WRITE, COMMIT, ABORT, QUIT };

struct locks {
    int table;
    int row;
};

static int take(int *lock)
{
    if (*lock == HELD) { //~ T unreachable, F covered
        return -1;
    }
    *lock = HELD;
    return 0;
}

static int release(int *lock)
{
    if (*lock == FREE) { //~ T unreachable, F covered
        return -1;
    }
    *lock = FREE;
    return 0;
}

static int finish(struct locks *locks)
{
    if (locks->row == HELD && release(&locks->row) != 0) { //~ T unreachable, F covered
        return -2;
    }
    return release(&locks->table);
}

static int begin_write(struct locks *locks, int is_reading)
{
    if (!is_reading && take(&locks->table) != 0) { //~ T unreachable, F covered
        return -3;
    }
    return take(&locks->row);
}

int lock_order(void)
{
    struct locks locks = {FREE, FREE};
    int is_reading = 0;
    int is_writing = 0;
    unsigned committed = 0;
    unsigned aborted = 0;

    for (;;) {
        int failed = 0;
        int event = input();
        if (event == READ && !is_reading && !is_writing) { //~ T covered, F covered
            failed = take(&locks.table);
            is_reading = 1;
        } else if (event == WRITE && !is_writing) { //~ T covered, F covered
            failed = begin_write(&locks, is_reading);
            is_reading = 0;
            is_writing = 1;
        } else if (event == COMMIT && is_writing) { //~ T covered, F covered
            failed = finish(&locks);
            is_writing = 0;
            committed++;
        } else if (event == ABORT && (is_reading || is_writing)) { //~ T covered, F covered
            failed = finish(&locks);
            is_reading = 0;
            is_writing = 0;
            aborted++;
        } else if (event == QUIT) { //~ T covered, F covered
            break;
        }
        if (failed != 0) { //~ T unreachable, F covered
            return -1;
        }
        if (locks.row == HELD && locks.table == FREE) { //~ T unreachable, F covered
            return -2;
        }
        if (is_reading && is_writing) { //~ T unreachable, F covered
            return -3;
        }
    }
    if ((locks.table == HELD) != is_reading + is_writing) { //~ T unreachable, F covered
        return -4;
    }
    if (committed == 4 && aborted == 2) { //~ T covered, F covered
        return 1;
    }
    return locks.row == HELD ? 2 : 0; //~ T covered, F covered
}
