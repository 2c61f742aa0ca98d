// attest: cover -f three_tanks --scope file --no-replay
/*
 * Sixty litres are poured between three tanks of 60, 36 and 24 litres, always until the one is
 * empty or the other is full. All first levels and all sizes divide by twelve and a pouring keeps
 * the sum, so the levels divide by twelve for ever, and there are sixty litres in all.
 */
int input(void);

struct tank {
    unsigned level;
    unsigned size;
};

static unsigned pour(struct tank *from, struct tank *to)
{
    unsigned room = to->size - to->level;
    unsigned amount = from->level < room ? from->level : room; //~ T covered, F covered

    from->level -= amount;
    to->level += amount;
    return amount;
}

int three_tanks(void)
{
    struct tank large = {60, 60};
    struct tank middle = {0, 36};
    struct tank small = {0, 24};
    unsigned poured = 0;
    unsigned pourings = 0;

    while (pourings < 1000) { //~ T covered, F covered
        unsigned amount = 0;
        switch (input()) {
        case 1: //~ case 1 covered
            amount = pour(&large, &middle);
            break;
        case 2: //~ case 2 covered
            amount = pour(&large, &small);
            break;
        case 3: //~ case 3 covered
            amount = pour(&middle, &large);
            break;
        case 4: //~ case 4 covered
            amount = pour(&middle, &small);
            break;
        case 5: //~ case 5 covered
            amount = pour(&small, &large);
            break;
        case 6: //~ case 6 covered
            amount = pour(&small, &middle);
            break;
        default: //~ default covered
            break;
        }
        pourings++;
        poured += amount;
        if (large.level + middle.level + small.level != 60) { //~ T unreachable, F covered
            return -1;
        }
        if (amount % 12 != 0) { //~ T unreachable, F covered
            return -2;
        }
        if (middle.level == 30) { //~ T unreachable, F covered
            return -3;
        }
        if (small.level > small.size || middle.level > 36) { //~ T unreachable, F covered
            return -4;
        }
        if (large.level == 48 && middle.level == 12) { //~ T covered, F covered
            return 1;
        }
    }
    if (poured > 36 * pourings) { //~ T unreachable, F covered
        return -5;
    }
    return poured >= 12000 ? 2 : 0; //~ T covered, F covered
}
