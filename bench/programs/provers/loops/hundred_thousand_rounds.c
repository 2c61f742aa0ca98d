// attest: cover -f hundred_thousand_rounds --scope file --no-replay
/*
 * A meter of five wheels turns a hundred thousand times, while a mark moves by seven each time.
 * Each wheel turns the next one when it goes from nine to zero, so the wheels show the number of
 * rounds, and all of them show zero behind the last round; the mark has moved by 700,000 then.
 */
enum { WHEELS = 5, ROUNDS = 100000, STRIDE = 7 };

static unsigned turn(unsigned *wheels)
{
    for (unsigned i = 0; i < WHEELS; i++) { //~ T covered, F covered
        if (wheels[i] < 9) { //~ T covered, F covered
            wheels[i]++;
            return 0;
        }
        wheels[i] = 0;
    }
    return 1;
}

int hundred_thousand_rounds(unsigned mark)
{
    unsigned wheels[WHEELS] = {0};
    unsigned laps = 0;
    unsigned middle = 0;
    unsigned start = mark;

    for (unsigned round = 0; round < ROUNDS; round++) { //~ T covered, F covered
        if (mark - start != STRIDE * round) { //~ T unreachable, F covered
            return -1;
        }
        if (laps != 0) { //~ T unreachable, F covered
            return -2;
        }
        mark += STRIDE;
        laps += turn(wheels);
        if (wheels[2] == 5) { //~ T covered, F covered
            middle++;
        }
    }
    if (laps != 1) { //~ T unreachable, F covered
        return -3;
    }
    if (middle != ROUNDS / 10) { //~ T unreachable, F covered
        return -4;
    }
    if (mark - start != STRIDE * ROUNDS) { //~ T unreachable, F covered
        return -5;
    }
    if (mark < start) { //~ T covered, F covered
        return 1;
    }
    for (unsigned i = 0; i < WHEELS; i++) { //~ T covered, F covered
        if (wheels[i] != 0) { //~ T unreachable, F covered
            return -6;
        }
    }
    return 0;
}
