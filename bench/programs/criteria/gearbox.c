/* A gearbox of twelve states, and three events in a row. */
enum state {
    PARKED, REVERSE, NEUTRAL, FIRST, SECOND, THIRD, FOURTH, SPORT_FIRST, SPORT_SECOND, SPORT_THIRD,
    LIMP, BROKEN
};
enum event { UP, DOWN, SPORT, STOP, FAULT };

static int next(int state, int event)
{
    if (event == FAULT)
        return state == LIMP ? BROKEN : LIMP;
    switch (state) {
    case PARKED:
        return event == UP ? NEUTRAL : event == DOWN ? REVERSE : PARKED;
    case REVERSE:
        return event == STOP ? PARKED : REVERSE;
    case NEUTRAL:
        return event == UP ? FIRST : event == STOP ? PARKED : NEUTRAL;
    case FIRST:
    case SECOND:
    case THIRD:
        if (event == SPORT)
            return state + SPORT_FIRST - FIRST;
        if (event == UP)
            return state + 1;
        return event == DOWN ? state - 1 : state;
    case FOURTH:
        return event == DOWN ? THIRD : FOURTH;
    case SPORT_FIRST:
    case SPORT_SECOND:
    case SPORT_THIRD:
        if (event == SPORT)
            return state - SPORT_FIRST + FIRST;
        if (event == UP && state != SPORT_THIRD)
            return state + 1;
        return state;
    case LIMP:
        return event == STOP ? PARKED : LIMP;
    default:
        return BROKEN;
    }
}

int gearbox(int state, const unsigned char events[3])
{
    int shifts = 0;

    if (state < PARKED || state > BROKEN || !events)
        return -1;
    for (int i = 0; i < 3; i++) {
        int before = state;
        if (events[i] > FAULT)
            return -2;
        state = next(state, events[i]);
        if (state != before && state != LIMP)
            shifts++;
    }
    if (state == BROKEN && shifts > 0)
        return -3;
    return shifts;
}
