// attest: cover -f filter_even --scope file --no-replay
/*
 * A loop takes the even numbers out of an array to another one and leaves the odd ones in place,
 * close together. The two counts add up to the length, no count passes the index of the loop, and
 * all numbers that were taken out are even, while all that are left are odd.
 */
unsigned input(void);

enum { MOST = 100000 };

int filter_even(unsigned length)
{
    unsigned numbers[MOST];
    unsigned even[MOST];
    unsigned odd_count = 0;
    unsigned even_count = 0;

    if (length > MOST) { //~ T covered, F covered
        return 0;
    }
    for (unsigned i = 0; i < length; i++) { //~ T covered, F covered
        numbers[i] = input();
    }
    for (unsigned i = 0; i < length; i++) { //~ T covered, F covered
        if (odd_count > i) { //~ T unreachable, F covered
            return -1;
        }
        if (numbers[i] % 2 == 0) { //~ T covered, F covered
            even[even_count] = numbers[i];
            even_count++;
        } else {
            numbers[odd_count] = numbers[i];
            odd_count++;
        }
    }
    if (odd_count + even_count != length) { //~ T unreachable, F covered
        return -2;
    }
    for (unsigned i = 0; i < even_count; i++) { //~ T covered, F covered
        if (even[i] % 2 != 0) { //~ T unreachable, F covered
            return -3;
        }
    }
    for (unsigned i = 0; i < odd_count; i++) { //~ T covered, F covered
        if (numbers[i] % 2 == 0) { //~ T unreachable, F covered
            return -4;
        }
    }
    if (even_count == 25 && odd_count == 3) { //~ T covered, F covered
        return 1;
    }
    return even_count > odd_count ? 2 : 3; //~ T covered, F covered
}
