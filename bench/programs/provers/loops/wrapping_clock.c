// attest: cover -f wrapping_clock --scope file --no-replay
/*
 * A clock of 32 bits advances in steps of 12 and of 3 * 2^28 for as long as input says. Both steps
 * and 2^32 divide by four, so what has elapsed always does; 2^32 does not divide by three, so that
 * what has elapsed may leave any remainder by three once the clock has wrapped, but not before.
 */
unsigned input(void);

enum { SMALL = 12, LARGE = 3 << 28 };

int wrapping_clock(unsigned start)
{
    unsigned clock = start;
    unsigned elapsed = 0;
    unsigned laps = 0;
    unsigned long long total = 0;
    int has_wrapped = 0;

    for (;;) {
        unsigned step;
        unsigned what = input();
        if (what == 0) { //~ T covered, F covered
            break;
        }
        step = what == 1 ? SMALL : LARGE; //~ T covered, F covered
        clock += step;
        if (elapsed + step < elapsed) { //~ T covered, F covered
            laps++;
            has_wrapped = 1;
        }
        elapsed += step;
        total += step;
        if (clock - start != elapsed) { //~ T unreachable, F covered
            return -1;
        }
    }
    if (elapsed % 4 != 0) { //~ T unreachable, F covered
        return -2;
    }
    if (clock % 2 != start % 2) { //~ T unreachable, F covered
        return -3;
    }
    if (total != ((unsigned long long)laps << 32) + elapsed) { //~ T unreachable, F covered
        return -4;
    }
    if (elapsed % 3 == 1) { //~ T covered, F covered
        return 1;
    }
    if (elapsed % 3 == 2) { //~ T covered, F covered
        if (!has_wrapped) { //~ T unreachable, F covered
            return -5;
        }
        return 2;
    }
    return clock < start ? 3 : 0; //~ T covered, F covered
}
