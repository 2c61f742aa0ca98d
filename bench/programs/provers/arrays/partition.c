// attest: cover -f partition --scope file --no-replay
/*
 * Two indices run towards each other over an array and exchange elements, until all elements below
 * a pivot stand before all others. A second loop checks both parts; the number of small elements,
 * which the reading loop counts, is the index where the second part begins.
 */
unsigned input(void);

enum { MOST = 100000 };

static unsigned split(unsigned *elements, unsigned length, unsigned pivot)
{
    unsigned low = 0;
    unsigned high = length;

    while (low < high) { //~ T covered, F covered
        if (elements[low] < pivot) { //~ T covered, F covered
            low++;
        } else {
            unsigned element = elements[low];
            high--;
            elements[low] = elements[high];
            elements[high] = element;
        }
    }
    return low;
}

int partition(unsigned length, unsigned pivot)
{
    unsigned elements[MOST];
    unsigned small = 0;
    unsigned border;

    if (length > MOST) { //~ T covered, F covered
        return 0;
    }
    for (unsigned i = 0; i < length; i++) { //~ T covered, F covered
        elements[i] = input();
        if (elements[i] < pivot) { //~ T covered, F covered
            small++;
        }
    }
    border = split(elements, length, pivot);
    if (border > length) { //~ T unreachable, F covered
        return -1;
    }
    if (border != small) { //~ T unreachable, F covered
        return -2;
    }
    for (unsigned i = 0; i < length; i++) { //~ T covered, F covered
        if (i < border && elements[i] >= pivot) { //~ T unreachable, F covered
            return -3;
        }
        if (i >= border && elements[i] < pivot) { //~ T unreachable, F covered
            return -4;
        }
    }
    if (pivot == 0 && border > 0) { //~ T unreachable, F covered
        return -5;
    }
    if (length == 30 && border == 11) { //~ T covered, F covered
        return 1;
    }
    return border == length ? 2 : 3; //~ T covered, F covered
}
