/*
 * A collision-avoidance advisory, in the manner of tcas: no loops, but decisions of many conditions
 * on many inputs, some of which exclude each other.
 *
 *     attest cover bench/programs/strategies/advisory.c -f advisory --scope file --criterion conditions
 */
enum advice { NO_ADVICE, CLIMB, DESCEND, HOLD };

enum { LEVELS = 4, FAST = 600, SEPARATION = 300, LEAST_MISS = 250 };

struct situation {
    int own_altitude;
    int other_altitude;
    int own_rate;
    int other_rate;
    int up_separation;
    int down_separation;
    unsigned level; /* of sensitivity */
    _Bool high_confidence;
    _Bool other_has_advisory;
    _Bool other_climbs;
};

static const int least_separation[LEVELS] = {400, 500, 640, 740};

static int bounded(int value, int limit)
{
    if (value > limit) {
        return limit;
    }
    if (value < -limit) {
        return -limit;
    }
    return value;
}

static int biased_up(const struct situation *now)
{
    if (now->other_climbs) {
        return bounded(now->up_separation, 10000) - 100;
    }
    return bounded(now->up_separation, 10000);
}

static _Bool own_below(const struct situation *now)
{
    return now->own_altitude < now->other_altitude;
}

static _Bool climb_is_safe(const struct situation *now, int least)
{
    if (biased_up(now) > now->down_separation) {
        return !own_below(now) || now->down_separation < least;
    }
    return !own_below(now) && now->up_separation >= least && now->up_separation > LEAST_MISS;
}

static _Bool descend_is_safe(const struct situation *now, int least)
{
    if (biased_up(now) > now->down_separation) {
        return own_below(now) && now->down_separation >= least;
    }
    return own_below(now) || now->up_separation < least;
}

static int closing_rate(const struct situation *now)
{
    int own = bounded(now->own_rate, 5000);
    int other = bounded(now->other_rate, 5000);

    if (own_below(now)) {
        return own - other;
    }
    return other - own;
}

enum advice advisory(struct situation now)
{
    if (now.level >= LEVELS) {
        return NO_ADVICE;
    }
    int least = least_separation[now.level];
    int rate = closing_rate(&now);
    _Bool enabled = now.high_confidence && rate <= FAST && bounded(now.up_separation, 2000) > SEPARATION;
    if (!enabled || (now.other_has_advisory && now.other_climbs)) {
        if (rate > 9999 && now.other_has_advisory) {
            return HOLD;
        }
        return NO_ADVICE;
    }
    _Bool up = climb_is_safe(&now, least) && own_below(&now);
    _Bool down = descend_is_safe(&now, least) && !own_below(&now);
    if (up && down) {
        return HOLD;
    }
    if (up) {
        return CLIMB;
    }
    if (down) {
        return DESCEND;
    }
    if (rate == -4242) {
        return HOLD;
    }
    return NO_ADVICE;
}
