// attest: cover -f copy_reversed --scope file --no-replay
/*
 * A program reads up to 50,000 small numbers, copies them in reverse order, and copies the copy in
 * reverse order once more. The third array equals the first one at every index, and numbers stay
 * below the limit that the reading loop enforces.
 */
unsigned input(void);

enum { MOST = 50000, LIMIT = 1000 };

static void reverse(const unsigned *from, unsigned *to, unsigned length)
{
    for (unsigned i = 0; i < length; i++) { //~ T covered, F covered
        to[length - 1 - i] = from[i];
    }
}

int copy_reversed(unsigned length)
{
    unsigned first[MOST];
    unsigned second[MOST];
    unsigned third[MOST];
    unsigned palindrome = 1;

    if (length > MOST) { //~ T covered, F covered
        return 0;
    }
    for (unsigned i = 0; i < length; i++) { //~ T covered, F covered
        first[i] = input() % LIMIT;
    }
    reverse(first, second, length);
    reverse(second, third, length);
    for (unsigned i = 0; i < length; i++) { //~ T covered, F covered
        if (third[i] != first[i]) { //~ T unreachable, F covered
            return -1;
        }
        if (second[i] != first[length - 1 - i]) { //~ T unreachable, F covered
            return -2;
        }
        if (second[i] >= LIMIT) { //~ T unreachable, F covered
            return -3;
        }
        if (second[i] != first[i]) { //~ T covered, F covered
            palindrome = 0;
        }
    }
    if (length == 7 && palindrome && first[0] != first[3]) { //~ T covered, F covered
        return 1;
    }
    return 2;
}
