// attest: cover -f bus_arbiter --scope file --no-replay
/*
 * An arbiter grants a bus to one of four masters in turn, beginning behind the last owner. Each
 * master that asks waits while others own the bus; turns go round, so no master waits for more
 * than three others, and the bus has one owner at most.
 */
unsigned input(void);

enum { MASTERS = 4, BURST = 8 };

struct master {
    int is_asking;
    int owns_bus;
    unsigned others_served; /* since it began to ask */
};

static unsigned count_owners(const struct master *masters)
{
    unsigned owners = 0;

    for (unsigned i = 0; i < MASTERS; i++) { //~ T covered, F covered
        if (masters[i].owns_bus) { //~ T covered, F covered
            owners++;
        }
    }
    return owners;
}

static unsigned next_owner(const struct master *masters, unsigned last)
{
    for (unsigned step = 1; step <= MASTERS; step++) { //~ T covered, F covered
        unsigned candidate = (last + step) % MASTERS;
        if (masters[candidate].is_asking) { //~ T covered, F covered
            return candidate;
        }
    }
    return MASTERS;
}

static void grant(struct master *masters, unsigned owner)
{
    for (unsigned i = 0; i < MASTERS; i++) { //~ T covered, F covered
        if (i != owner && masters[i].is_asking) { //~ T covered, F covered
            masters[i].others_served++;
        }
    }
    masters[owner].is_asking = 0;
    masters[owner].owns_bus = 1;
    masters[owner].others_served = 0;
}

int bus_arbiter(unsigned cycles)
{
    struct master masters[MASTERS] = {{0, 0, 0}};
    unsigned last = MASTERS - 1;
    unsigned burst = 0;
    int is_busy = 0;
    int bursts_ran_out = 0;

    while (cycles > 0) { //~ T covered, F covered
        unsigned request = input();
        cycles--;
        if (request < MASTERS && !masters[request].owns_bus) { //~ T covered, F covered
            masters[request].is_asking = 1;
        }
        if (is_busy) { //~ T covered, F covered
            burst++;
            if (burst == BURST || request == MASTERS) { //~ T covered, F covered
                bursts_ran_out |= burst == BURST;
                masters[last].owns_bus = 0;
                is_busy = 0;
            }
        } else {
            unsigned owner = next_owner(masters, last);
            if (owner < MASTERS) { //~ T covered, F covered
                grant(masters, owner);
                last = owner;
                burst = 0;
                is_busy = 1;
            }
        }
        if (count_owners(masters) != (unsigned)is_busy) { //~ T unreachable, F covered
            return -1;
        }
        if (masters[0].others_served > MASTERS - 1) { //~ T unreachable, F covered
            return -2;
        }
        if (masters[2].others_served == MASTERS - 1) { //~ T covered, F covered
            bursts_ran_out |= 2;
        }
    }
    if (burst > BURST) { //~ T unreachable, F covered
        return -3;
    }
    if (bursts_ran_out == 3) { //~ T covered, F covered
        return 1;
    }
    return 0;
}
