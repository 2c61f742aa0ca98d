// attest: cover -f two_phases --scope file --no-replay
/*
 * A tank is filled by three units a round in the first half of the rounds and emptied by three
 * units a round in the second half. The level is three times the number of rounds so far, then
 * three times the number of rounds to go, so it peaks in the middle and is zero behind the loop.
 */
enum { MOST = 20000, RATE = 3 };

int two_phases(unsigned half)
{
    unsigned level = 0;
    unsigned peak = 0;
    unsigned seen_at_300 = 0;
    int is_emptying = 0;

    if (half > MOST) { //~ T covered, F covered
        return 0;
    }
    for (unsigned round = 0; round < 2 * half; round++) { //~ T covered, F covered
        if (round == half) { //~ T covered, F covered
            is_emptying = 1;
            if (level != RATE * half) { //~ T unreachable, F covered
                return -1;
            }
        }
        if (is_emptying) { //~ T covered, F covered
            if (level < RATE) { //~ T unreachable, F covered
                return -2;
            }
            level -= RATE;
        } else {
            level += RATE;
        }
        if (level > peak) { //~ T covered, F covered
            if (is_emptying) { //~ T unreachable, F covered
                return -3;
            }
            peak = level;
        }
        if (level == 300) { //~ T covered, F covered
            seen_at_300++;
        }
    }
    if (level != 0) { //~ T unreachable, F covered
        return -4;
    }
    if (peak != RATE * half) { //~ T unreachable, F covered
        return -5;
    }
    if (seen_at_300 > 2) { //~ T unreachable, F covered
        return -6;
    }
    if (seen_at_300 == 2) { //~ T covered, F covered
        return 1;
    }
    return seen_at_300 == 1 ? 2 : 0; //~ T covered, F covered
}
