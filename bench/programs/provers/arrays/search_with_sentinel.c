// attest: cover -f search_with_sentinel --scope file --no-replay
/*
 * A search for a key runs without a bound, since the key stands behind the last element, too. The
 * loop ends at the first element that equals the key, so it never passes the sentinel, and none of
 * the elements before the place that it finds equals the key.
 */
unsigned input(void);

enum { MOST = 100000 };

int search_with_sentinel(unsigned length, unsigned key)
{
    unsigned elements[MOST + 1];
    unsigned place = 0;
    unsigned with_key = 0;

    if (length > MOST) { //~ T covered, F covered
        return 0;
    }
    for (unsigned i = 0; i < length; i++) { //~ T covered, F covered
        elements[i] = input();
        if (elements[i] == key) { //~ T covered, F covered
            with_key++;
        }
    }
    elements[length] = key;
    while (elements[place] != key) { //~ T covered, F covered
        place++;
        if (place > length) { //~ T unreachable, F covered
            return -1;
        }
    }
    for (unsigned i = 0; i < place; i++) { //~ T covered, F covered
        if (elements[i] == key) { //~ T unreachable, F covered
            return -2;
        }
    }
    if (place == length && with_key > 0) { //~ T unreachable, F covered
        return -3;
    }
    if (place < length && with_key == 0) { //~ T unreachable, F covered
        return -4;
    }
    if (place == 40 && with_key == 2) { //~ T covered, F covered
        return 1;
    }
    return place == length ? 2 : 3; //~ T covered, F covered
}
