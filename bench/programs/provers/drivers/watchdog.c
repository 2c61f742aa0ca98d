// attest: cover -f watchdog --scope file --no-replay
/*
 * A watchdog counts ticks since it was last fed, warns at half of its limit and resets the board
 * at the limit; three resets lead to a safe mode that only a key leaves. The counter goes back to
 * zero with every reset, so it never passes the limit, and no warning is without half of it.
 */
int input(void);

enum { LIMIT = 40, HALF = LIMIT / 2, RESETS = 3 };

enum event { TICK, FEED, KEY, STOP };

int watchdog(int key)
{
    unsigned ticks = 0;
    unsigned resets = 0;
    int is_warned = 0;
    int is_safe = 0;
    int keys_tried = 0;

    for (;;) {
        switch (input()) {
        case TICK: //~ case 0 covered
            if (is_safe) { //~ T covered, F covered
                break;
            }
            ticks++;
            if (ticks == HALF) { //~ T covered, F covered
                is_warned = 1;
            }
            if (ticks == LIMIT) { //~ T covered, F covered
                if (!is_warned) { //~ T unreachable, F covered
                    return -1;
                }
                ticks = 0;
                is_warned = 0;
                resets++;
                if (resets == RESETS) { //~ T covered, F covered
                    is_safe = 1;
                }
            }
            break;
        case FEED: //~ case 1 covered
            ticks = 0;
            is_warned = 0;
            break;
        case KEY: //~ case 2 covered
            if (!is_safe) { //~ T covered, F covered
                break;
            }
            if (input() == key) { //~ T covered, F covered
                is_safe = 0;
                resets = 0;
                keys_tried = 0;
            } else if (keys_tried < 9) { //~ T covered, F covered
                keys_tried++;
            }
            break;
        case STOP: //~ case 3 covered
            if (resets > RESETS) { //~ T unreachable, F covered
                return -2;
            }
            if (is_safe != (resets == RESETS)) { //~ T unreachable, F covered
                return -3;
            }
            if (is_safe && (ticks != 0 || is_warned)) { //~ T unreachable, F covered
                return -4;
            }
            if (keys_tried == 9) { //~ T covered, F covered
                return 2;
            }
            return is_safe ? 1 : 0; //~ T covered, F covered
        default: //~ default covered
            if (ticks >= LIMIT) { //~ T unreachable, F covered
                return -5;
            }
            if (is_warned && ticks < HALF) { //~ T unreachable, F covered
                return -6;
            }
            break;
        }
    }
}
