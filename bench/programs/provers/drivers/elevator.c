// attest: cover -f elevator --scope file --no-replay
/*
 * An elevator serves eight floors: buttons set bits of a mask, and a step moves the car, or opens
 * or closes its door. A step moves the car only behind a closed door and never past the floor of
 * the last call, so the car stays in its shaft and never moves with an open door.
 */
unsigned input(void);

enum { FLOORS = 8, DOOR_STEPS = 5 };

enum direction { STANDING, UP, DOWN };

struct car {
    unsigned floor;
    unsigned calls; /* one bit for each floor */
    unsigned open_for;
    enum direction direction;
    int door_is_open;
};

static unsigned calls_above(const struct car *car)
{
    return car->calls >> (car->floor + 1);
}

static unsigned calls_below(const struct car *car)
{
    return car->calls & ((1u << car->floor) - 1);
}

static void open_door(struct car *car)
{
    car->calls &= ~(1u << car->floor);
    car->direction = STANDING;
    car->door_is_open = 1;
    car->open_for = DOOR_STEPS;
}

static void choose_direction(struct car *car)
{
    if (calls_above(car) != 0) { //~ T covered, F covered
        car->direction = UP;
    } else if (calls_below(car) != 0) { //~ T covered, F covered
        car->direction = DOWN;
    }
}

static int step(struct car *car)
{
    if (car->door_is_open) { //~ T covered, F covered
        if (car->direction != STANDING) { //~ T unreachable, F covered
            return -1;
        }
        if (car->open_for == 0) { //~ T covered, F covered
            car->door_is_open = 0;
        } else {
            car->open_for--;
        }
        return 0;
    }
    if (car->calls & (1u << car->floor)) { //~ T covered, F covered
        open_door(car);
        return 0;
    }
    switch (car->direction) {
    case STANDING: //~ case 0 covered
        choose_direction(car);
        return 0;
    case UP: //~ case 1 covered
        if (calls_above(car) == 0) { //~ T unreachable, F covered
            return -2;
        }
        car->floor++;
        return 0;
    case DOWN: //~ case 2 covered
        if (calls_below(car) == 0) { //~ T unreachable, F covered
            return -3;
        }
        car->floor--;
        return 0;
    default: //~ default unreachable
        return -4;
    }
}

int elevator(void)
{
    struct car car = {0, 0, 0, STANDING, 0};
    unsigned visits_of_top = 0;

    for (;;) {
        unsigned button = input();
        if (button < FLOORS) { //~ T covered, F covered
            car.calls |= 1u << button;
        } else if (button == 99) { //~ T covered, F covered
            break;
        }
        if (step(&car) != 0) { //~ T unreachable, F covered
            return 1;
        }
        if (car.floor >= FLOORS) { //~ T unreachable, F covered
            return 2;
        }
        if (car.floor == FLOORS - 1 && car.open_for == DOOR_STEPS) { //~ T covered, F covered
            visits_of_top++;
        }
    }
    if (visits_of_top >= 3) { //~ T covered, F covered
        return 3;
    }
    if (car.open_for > DOOR_STEPS) { //~ T unreachable, F covered
        return 4;
    }
    return 0;
}
