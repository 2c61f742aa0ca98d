// attest: cover -f saturating_meter --scope file --no-replay
/*
 * A meter goes up and down by up to ten units a round and stays at its ends, 0 and 1000, where it
 * drops the rest. What it shows is what went in less what went out, and what was dropped is
 * counted apart, so that the sums agree, even where they wrap, and the meter stays in its range.
 */
unsigned input(void);

enum { TOP = 1000, LARGEST = 10 };

int saturating_meter(unsigned rounds)
{
    unsigned level = 0;
    unsigned in = 0;
    unsigned out = 0;
    unsigned asked_up = 0;
    unsigned asked_down = 0;
    unsigned dropped_up = 0;
    unsigned dropped_down = 0;

    while (rounds-- > 0) { //~ T covered, F covered
        unsigned amount = input() % (LARGEST + 1);
        if (input() % 2 == 0) { //~ T covered, F covered
            unsigned room = TOP - level;
            asked_up += amount;
            if (amount > room) { //~ T covered, F covered
                dropped_up += amount - room;
                amount = room;
            }
            level += amount;
            in += amount;
        } else {
            asked_down += amount;
            if (amount > level) { //~ T covered, F covered
                dropped_down += amount - level;
                amount = level;
            }
            level -= amount;
            out += amount;
        }
        if (level > TOP) { //~ T unreachable, F covered
            return -1;
        }
    }
    if (in - out != level) { //~ T unreachable, F covered
        return -2;
    }
    if (in + dropped_up != asked_up) { //~ T unreachable, F covered
        return -3;
    }
    if (asked_up - dropped_up + dropped_down - asked_down != level) { //~ T unreachable, F covered
        return -4;
    }
    if (asked_up < in) { //~ T covered, F covered
        return 3; /* the sum of both has wrapped */
    }
    if (dropped_up > 50 && level == 7) { //~ T covered, F covered
        return 1;
    }
    return level == TOP ? 2 : 0; //~ T covered, F covered
}
