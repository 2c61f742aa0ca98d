// attest: cover -f bounded_walk --scope file --no-replay
/*
 * A walker starts at zero, moves by one place in each round, to the side that input says, and is
 * turned round at walls fifty places away. Each round moves it by exactly one place, so it is at
 * an even place after an even number of rounds, and never behind a wall.
 */
int input(void);

enum { WALL = 50 };

static int move(int place, int wish)
{
    if (place == WALL) { //~ T covered, F covered
        return place - 1;
    }
    if (place == -WALL) { //~ T covered, F covered
        return place + 1;
    }
    return wish > 0 ? place + 1 : place - 1; //~ T covered, F covered
}

int bounded_walk(void)
{
    int place = 0;
    unsigned rounds = 0;
    unsigned turns = 0;
    int farthest = 0;

    for (;;) {
        int wish = input();
        int distance;
        if (wish == 0) { //~ T covered, F covered
            break;
        }
        place = move(place, wish);
        rounds++;
        distance = place < 0 ? -place : place; //~ T covered, F covered
        if (distance > WALL) { //~ T unreachable, F covered
            return -1;
        }
        if (distance == WALL && turns < 1000) { //~ T covered, F covered
            turns++;
        }
        if (distance > farthest) { //~ T covered, F covered
            farthest = distance;
        }
    }
    if ((rounds + (unsigned)place) % 2 != 0) { //~ T unreachable, F covered
        return -2;
    }
    if (turns > 0 && farthest < WALL) { //~ T unreachable, F covered
        return -3;
    }
    if (farthest == WALL && turns == 0) { //~ T unreachable, F covered
        return -4;
    }
    if (rounds == 0 && farthest > 0) { //~ T covered, F covered
        return 3; /* 2^32 rounds later */
    }
    if (turns >= 3 && place == 0) { //~ T covered, F covered
        return 1;
    }
    return place == -WALL ? 2 : 0; //~ T covered, F covered
}
