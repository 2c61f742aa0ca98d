// attest: cover -f letter_counts --scope file --no-replay
/*
 * A program reads up to 100,000 letters, counts each of them, and makes running sums of the
 * counts. A round adds one to one count, so the last sum is the number of letters, the sums
 * ascend, and a count is never more than the number of letters.
 */
unsigned input(void);

enum { LETTERS = 26, MOST = 100000 };

int letter_counts(unsigned length)
{
    unsigned counts[LETTERS] = {0};
    unsigned sums[LETTERS];
    unsigned kinds = 0;
    unsigned vowels = 0;
    unsigned counted;

    if (length > MOST) { //~ T covered, F covered
        return 0;
    }
    for (unsigned i = 0; i < length; i++) { //~ T covered, F covered
        unsigned letter = input() % LETTERS;
        if (counts[letter] == 0) { //~ T covered, F covered
            kinds++;
        }
        counts[letter]++;
        switch (letter) {
        case 0: //~ case 0 covered
            vowels++;
            break;
        case 4: //~ case 4 covered
            vowels++;
            break;
        case 8: //~ case 8 covered
            vowels++;
            break;
        case 14: //~ case 14 covered
            vowels++;
            break;
        case 20: //~ case 20 covered
            vowels++;
            break;
        default: //~ default covered
            break;
        }
    }
    if (kinds > LETTERS || kinds > length) { //~ T unreachable, F covered
        return -1;
    }
    sums[0] = counts[0];
    for (unsigned i = 1; i < LETTERS; i++) { //~ T covered, F covered
        sums[i] = sums[i - 1] + counts[i];
        if (counts[i] > length) { //~ T unreachable, F covered
            return -2;
        }
        if (sums[i] < sums[i - 1]) { //~ T unreachable, F covered
            return -3;
        }
    }
    if (sums[LETTERS - 1] != length) { //~ T unreachable, F covered
        return -4;
    }
    counted = counts[0] + counts[4] + counts[8] + counts[14] + counts[20];
    if (vowels != counted) { //~ T unreachable, F covered
        return -5;
    }
    if (kinds == LETTERS) { //~ T covered, F covered
        return 1;
    }
    return counts[25] == 12 && vowels > 3 ? 2 : 3; //~ T covered, F covered
}
