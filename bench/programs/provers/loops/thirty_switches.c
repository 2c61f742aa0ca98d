// attest: cover -f thirty_switches --scope file --no-replay
/*
 * Each of three switches turns two of three lamps, on or off, and thirty switches are pressed one
 * after the other. A press changes the number of lit lamps by two, none, or minus two, so that an
 * even number of lamps is lit after any of them; the order of the presses does not matter.
 */
unsigned input(void);

enum { PRESSES = 30, LAMPS = 3 };

static unsigned count_lit(const int *lamps)
{
    unsigned lit = 0;

    for (unsigned i = 0; i < LAMPS; i++) { //~ T covered, F covered
        if (lamps[i]) { //~ T covered, F covered
            lit++;
        }
    }
    return lit;
}

int thirty_switches(void)
{
    int lamps[LAMPS] = {0, 0, 0};
    unsigned pressed[LAMPS] = {0, 0, 0};
    unsigned lit;
    unsigned dark_rounds = 0;

    for (unsigned i = 0; i < PRESSES; i++) { //~ T covered, F covered
        unsigned spared = input() % LAMPS;
        pressed[spared]++;
        if (spared != 0) { //~ T covered, F covered
            lamps[0] = !lamps[0];
        }
        if (spared != 1) { //~ T covered, F covered
            lamps[1] = !lamps[1];
        }
        if (spared != 2) { //~ T covered, F covered
            lamps[2] = !lamps[2];
        }
        lit = count_lit(lamps);
        if (lit % 2 != 0) { //~ T unreachable, F covered
            return -1;
        }
        if (lit == 0) { //~ T covered, F covered
            dark_rounds++;
        }
    }
    lit = count_lit(lamps);
    if (lit == LAMPS) { //~ T unreachable, F covered
        return -2;
    }
    if (pressed[0] + pressed[1] + pressed[2] != PRESSES) { //~ T unreachable, F covered
        return -3;
    }
    if ((unsigned)lamps[0] != (pressed[1] + pressed[2]) % 2) { //~ T unreachable, F covered
        return -4;
    }
    if (dark_rounds > PRESSES / 2) { //~ T unreachable, F covered
        return -5;
    }
    if (dark_rounds == PRESSES / 2) { //~ T covered, F covered
        return 1;
    }
    return pressed[0] == 7 && pressed[1] == 11 ? 2 : 0; //~ T covered, F covered
}
