// attest: cover -f three_thousand_rounds --scope file --no-replay
/*
 * A turnstile counts three thousand people who come from the left, from the right, or as a pair
 * from both sides. A round adds at most one to each count, and a pair adds one to all of them, so
 * there are never more pairs than people of a side, nor more passages than rounds.
 */
unsigned input(void);

enum { ROUNDS = 3000 };

int three_thousand_rounds(void)
{
    unsigned left = 0;
    unsigned right = 0;
    unsigned pairs = 0;
    unsigned nobody = 0;

    for (unsigned i = 0; i < ROUNDS; i++) { //~ T covered, F covered
        unsigned who = input();
        if (who == 0) { //~ T covered, F covered
            left++;
        } else if (who == 1) { //~ T covered, F covered
            right++;
        } else if (who == 2) { //~ T covered, F covered
            left++;
            right++;
            pairs++;
        } else {
            nobody++;
        }
    }
    if (pairs > left || pairs > right) { //~ T unreachable, F covered
        return -1;
    }
    if (left + right - pairs + nobody != ROUNDS) { //~ T unreachable, F covered
        return -2;
    }
    if (left > ROUNDS) { //~ T unreachable, F covered
        return -3;
    }
    if (pairs == ROUNDS) { //~ T covered, F covered
        return nobody != 0 ? -4 : 1; //~ T unreachable, F covered
    }
    if (left == ROUNDS && right == 0) { //~ T covered, F covered
        return 2;
    }
    return 0;
}
