// attest: cover -f power_domains --scope file --no-replay
/*
 * A power manager counts the users of a clock and of a rail in static objects: the rail goes on
 * before the clock and off behind it. Users are counted where switches are thrown, so the clock
 * runs exactly while it has users, and only on a rail that is on; all of this holds again wherever
 * input is called, so that a call of input that came back here would change nothing.
 */
int input(void);

enum { MOST_USERS = 50 };

static unsigned clock_users;
static unsigned rail_users;
static int clock_runs;
static int rail_is_on;
static unsigned switched;

static int get_rail(void)
{
    if (rail_users == MOST_USERS) { //~ T covered, F covered
        return -1;
    }
    if (rail_users == 0) { //~ T covered, F covered
        if (rail_is_on) { //~ T unreachable, F covered
            return -2;
        }
        rail_is_on = 1;
        switched++;
    }
    rail_users++;
    return 0;
}

static void put_rail(void)
{
    rail_users--;
    if (rail_users == 0) { //~ T covered, F covered
        rail_is_on = 0;
        switched++;
    }
}

static int get_clock(void)
{
    int failed = get_rail();

    if (failed != 0) { //~ T covered, F covered
        return failed;
    }
    if (clock_users == 0) { //~ T covered, F covered
        clock_runs = 1;
    }
    clock_users++;
    return 0;
}

static int put_clock(void)
{
    if (!clock_runs) { //~ T unreachable, F covered
        return -3;
    }
    clock_users--;
    if (clock_users == 0) { //~ T covered, F covered
        clock_runs = 0;
    }
    put_rail();
    return 0;
}

int power_domains(unsigned steps)
{
    clock_users = 0;
    rail_users = 0;
    clock_runs = 0;
    rail_is_on = 0;
    switched = 0;
    for (unsigned i = 0; i < steps; i++) { //~ T covered, F covered
        int failed = 0;
        switch (input()) {
        case 1: //~ case 1 covered
            failed = get_rail();
            break;
        case 2: //~ case 2 covered
            if (rail_users > clock_users) { //~ T covered, F covered
                put_rail();
            }
            break;
        case 3: //~ case 3 covered
            failed = get_clock();
            break;
        case 4: //~ case 4 covered
            if (clock_users > 0) { //~ T covered, F covered
                failed = put_clock();
            }
            break;
        default: //~ default covered
            break;
        }
        if (failed < -1) { //~ T unreachable, F covered
            return 1;
        }
        if (clock_runs && !rail_is_on) { //~ T unreachable, F covered
            return 2;
        }
        if (clock_users > rail_users) { //~ T unreachable, F covered
            return 3;
        }
    }
    if (rail_users == MOST_USERS && clock_users == 10) { //~ T covered, F covered
        return 4;
    }
    if (switched % 2 != (unsigned)rail_is_on) { //~ T unreachable, F covered
        return 5;
    }
    return switched == 6 ? 6 : 0; //~ T covered, F covered
}
