/*
 * A collision advisory: whether to climb or to descend, by the altitudes of two aircraft, their
 * rates and what the other one intends.
 */
enum { NONE, CLIMB, DESCEND };

struct traffic {
    int own_altitude;
    int other_altitude;
    int own_rate;
    int other_rate;
    int other_intent;
    int is_high_confidence;
};

static int separation(int own, int other)
{
    return own > other ? own - other : other - own;
}

int advisory(struct traffic t)
{
    int needs_climb, needs_descent, enabled;

    if (t.own_altitude < 0 || t.own_altitude > 50000 || t.other_altitude < 0 ||
        t.other_altitude > 50000)
        return -1;
    enabled = t.is_high_confidence && t.own_rate <= 600 &&
              separation(t.own_altitude, t.other_altitude) < 600;
    if (!enabled)
        return NONE;
    needs_climb = t.own_altitude > t.other_altitude ||
                  (t.own_altitude == t.other_altitude && t.other_intent == DESCEND);
    needs_descent = t.own_altitude < t.other_altitude && t.other_rate >= 0;
    if (needs_climb && needs_descent)
        return NONE;
    if (needs_climb && !(t.other_intent == CLIMB && t.other_rate > 400))
        return CLIMB;
    if (needs_descent)
        return DESCEND;
    return NONE;
}
