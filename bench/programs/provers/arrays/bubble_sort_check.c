// attest: cover -f bubble_sort_check --scope file --no-replay
/*
 * A bubble sort of up to 1,000 numbers makes passes until one exchanges nothing. Behind a pass
 * without exchanges each number is at most the next one, so that the check finds no descent, and
 * an exchange only moves numbers, so that their sum stays the same.
 */
unsigned input(void);

enum { MOST = 1000 };

static unsigned sum_of(const unsigned *numbers, unsigned length)
{
    unsigned sum = 0;

    for (unsigned i = 0; i < length; i++) { //~ T covered, F covered
        sum += numbers[i];
    }
    return sum;
}

static unsigned pass(unsigned *numbers, unsigned length)
{
    unsigned exchanges = 0;

    for (unsigned i = 1; i < length; i++) { //~ T covered, F covered
        if (numbers[i - 1] > numbers[i]) { //~ T covered, F covered
            unsigned number = numbers[i];
            numbers[i] = numbers[i - 1];
            numbers[i - 1] = number;
            exchanges++;
        }
    }
    return exchanges;
}

int bubble_sort_check(unsigned length)
{
    unsigned numbers[MOST];
    unsigned sum;
    unsigned passes = 0;
    unsigned exchanges = 0;
    unsigned in_pass;

    if (length > MOST) { //~ T covered, F covered
        return 0;
    }
    for (unsigned i = 0; i < length; i++) { //~ T covered, F covered
        numbers[i] = input();
    }
    sum = sum_of(numbers, length);
    do {
        in_pass = pass(numbers, length);
        exchanges += in_pass;
        passes++;
    } while (in_pass > 0); //~ T covered, F covered
    for (unsigned i = 1; i < length; i++) { //~ T covered, F covered
        if (numbers[i - 1] > numbers[i]) { //~ T unreachable, F covered
            return -1;
        }
    }
    if (sum_of(numbers, length) != sum) { //~ T unreachable, F covered
        return -2;
    }
    if (passes == 1 && exchanges > 0) { //~ T unreachable, F covered
        return -3;
    }
    if (passes > length + 1) { //~ T unreachable, F covered
        return -4;
    }
    if (exchanges == 15 && passes == 6) { //~ T covered, F covered
        return 1;
    }
    return passes == 1 ? 2 : 3; //~ T covered, F covered
}
