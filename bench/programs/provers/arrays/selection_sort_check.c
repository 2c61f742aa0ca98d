// attest: cover -f selection_sort_check --scope file --no-replay
/*
 * A selection sort puts the smallest of what is left behind what is sorted, for 1,000 bytes. All
 * that is left is at least as large as all that is sorted in every round, so the array ascends
 * behind the last round, and its first element is the minimum that the reading loop has seen.
 */
unsigned input(void);

enum { SIZE = 1000 };

static unsigned index_of_smallest(const unsigned char *bytes, unsigned from)
{
    unsigned best = from;

    for (unsigned i = from + 1; i < SIZE; i++) { //~ T covered, F covered
        if (bytes[i] < bytes[best]) { //~ T covered, F covered
            best = i;
        }
    }
    return best;
}

int selection_sort_check(void)
{
    unsigned char bytes[SIZE];
    unsigned char smallest = 255;
    unsigned char largest = 0;
    unsigned moved = 0;
    unsigned ascents = 0;

    for (unsigned i = 0; i < SIZE; i++) { //~ T covered, F covered
        bytes[i] = (unsigned char)input();
        if (bytes[i] < smallest) { //~ T covered, F covered
            smallest = bytes[i];
        }
        if (bytes[i] > largest) { //~ T covered, F covered
            largest = bytes[i];
        }
    }
    for (unsigned place = 0; place < SIZE; place++) { //~ T covered, F covered
        unsigned best = index_of_smallest(bytes, place);
        unsigned char byte = bytes[best];
        if (best < place) { //~ T unreachable, F covered
            return -1;
        }
        if (best != place) { //~ T covered, F covered
            moved++;
        }
        bytes[best] = bytes[place];
        bytes[place] = byte;
        if (place > 0 && bytes[place - 1] > byte) { //~ T unreachable, F covered
            return -2;
        }
    }
    for (unsigned i = 1; i < SIZE; i++) { //~ T covered, F covered
        if (bytes[i] < bytes[i - 1]) { //~ T unreachable, F covered
            return -3;
        }
        if (bytes[i] > bytes[i - 1]) { //~ T covered, F covered
            ascents++;
        }
    }
    if (bytes[0] != smallest || bytes[SIZE - 1] != largest) { //~ T unreachable, F covered
        return -4;
    }
    if (moved == SIZE) { //~ T unreachable, F covered
        return -5;
    }
    if (ascents > 255) { //~ T unreachable, F covered
        return -6;
    }
    return ascents == 2 ? 1 : 0; //~ T covered, F covered
}
