// attest: cover -f insertion_sort_check --scope file --no-replay
/*
 * An insertion sort keeps the first elements of an array in descending order and puts each next
 * one into its place. What the inner loop passes moves up by one, so the array descends behind
 * each round, and no round makes more moves than there are elements before it.
 */
int input(void);

enum { MOST = 1000 };

static unsigned insert(int *keys, unsigned sorted)
{
    int key = keys[sorted];
    unsigned place = sorted;

    while (place > 0 && keys[place - 1] < key) { //~ T covered, F covered
        keys[place] = keys[place - 1];
        place--;
    }
    keys[place] = key;
    return sorted - place;
}

int insertion_sort_check(unsigned length)
{
    int keys[MOST];
    unsigned moves = 0;
    unsigned most_moves = 0;
    int largest;

    if (length == 0 || length > MOST) { //~ T covered, F covered
        return 0;
    }
    for (unsigned i = 0; i < length; i++) { //~ T covered, F covered
        keys[i] = input();
    }
    largest = keys[0];
    for (unsigned i = 1; i < length; i++) { //~ T covered, F covered
        unsigned in_round;
        if (keys[i] > largest) { //~ T covered, F covered
            largest = keys[i];
        }
        in_round = insert(keys, i);
        if (in_round > i) { //~ T unreachable, F covered
            return -1;
        }
        if (keys[0] != largest) { //~ T unreachable, F covered
            return -2;
        }
        if (in_round > most_moves) { //~ T covered, F covered
            most_moves = in_round;
        }
        moves += in_round;
    }
    for (unsigned i = 1; i < length; i++) { //~ T covered, F covered
        if (keys[i] > keys[i - 1]) { //~ T unreachable, F covered
            return -3;
        }
    }
    if (moves > 0 && most_moves == 0) { //~ T unreachable, F covered
        return -4;
    }
    if (moves > length * (length - 1) / 2) { //~ T unreachable, F covered
        return -5;
    }
    if (moves == 45 && most_moves == 9) { //~ T covered, F covered
        return 1;
    }
    return moves == 0 ? 2 : 3; //~ T covered, F covered
}
