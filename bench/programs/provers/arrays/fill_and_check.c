// attest: cover -f fill_and_check --scope file --no-replay
/*
 * A loop fills a static array of 100,000 elements with the odd numbers from a start on, and a
 * second one checks them. An element is twice its index plus the odd start, so every element is
 * odd and two more than the one before, even where the numbers wrap.
 */
enum { SIZE = 100000 };

static unsigned numbers[SIZE];

static void fill(unsigned first)
{
    for (unsigned i = 0; i < SIZE; i++) { //~ T covered, F covered
        numbers[i] = first + 2 * i;
    }
}

int fill_and_check(unsigned seed)
{
    unsigned first = 2 * seed + 1;
    unsigned wraps = 0;

    fill(first);
    for (unsigned i = 0; i < SIZE; i++) { //~ T covered, F covered
        if (numbers[i] % 2 == 0) { //~ T unreachable, F covered
            return -1;
        }
        if (numbers[i] - first != 2 * i) { //~ T unreachable, F covered
            return -2;
        }
        if (i > 0 && numbers[i] - numbers[i - 1] != 2) { //~ T unreachable, F covered
            return -3;
        }
        if (i > 0 && numbers[i] < numbers[i - 1]) { //~ T covered, F covered
            wraps++;
        }
    }
    if (wraps > 1) { //~ T unreachable, F covered
        return -4;
    }
    return wraps == 1 && numbers[SIZE - 1] == 99999 ? 1 : 0; //~ T covered, F covered
}
