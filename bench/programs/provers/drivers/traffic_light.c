// attest: cover -f traffic_light --scope file --no-replay
/*
 * A controller drives the lights of a crossing of two roads with a crossing for pedestrians, an
 * event at a time and for ever. One road gets green only from the phase in which all lights are
 * red, so the two roads never have green together, and nobody walks while a road has green.
 */
int input(void);

enum light { RED, RED_YELLOW, GREEN, YELLOW };

enum phase { ALL_RED, MAIN, SIDE, WALK };

enum { GREEN_TICKS = 20, YELLOW_TICKS = 3, WALK_TICKS = 12 };

int traffic_light(void)
{
    enum phase phase = ALL_RED;
    enum light main_light = RED;
    enum light side_light = RED;
    int walking = 0;
    int wanted = 0;
    int side_is_next = 0;
    unsigned ticks = 0;

    for (;;) {
        int event = input();
        if (event == 1) { //~ T covered, F covered
            wanted = 1;
        } else if (event == 2) { //~ T covered, F covered
            return 0;
        }
        ticks++;
        switch (phase) {
        case ALL_RED: //~ case 0 covered
            ticks = 0;
            if (wanted) { //~ T covered, F covered
                wanted = 0;
                walking = 1;
                phase = WALK;
            } else if (side_is_next) { //~ T covered, F covered
                side_light = RED_YELLOW;
                phase = SIDE;
            } else {
                main_light = RED_YELLOW;
                phase = MAIN;
            }
            break;
        case MAIN: //~ case 1 covered
            if (main_light == RED_YELLOW) { //~ T covered, F covered
                main_light = GREEN;
                ticks = 0;
            } else if (main_light == GREEN && ticks >= GREEN_TICKS) { //~ T covered, F covered
                main_light = YELLOW;
                ticks = 0;
            } else if (main_light == YELLOW && ticks >= YELLOW_TICKS) { //~ T covered, F covered
                main_light = RED;
                side_is_next = 1;
                phase = ALL_RED;
            }
            break;
        case SIDE: //~ case 2 covered
            if (side_light == RED_YELLOW) { //~ T covered, F covered
                side_light = GREEN;
                ticks = 0;
            } else if (side_light == GREEN && ticks >= GREEN_TICKS / 2) { //~ T covered, F covered
                side_light = YELLOW;
                ticks = 0;
            } else if (side_light == YELLOW && ticks >= YELLOW_TICKS) { //~ T covered, F covered
                side_light = RED;
                side_is_next = 0;
                phase = ALL_RED;
            }
            break;
        case WALK: //~ case 3 covered
            if (ticks >= WALK_TICKS) { //~ T covered, F covered
                walking = 0;
                phase = ALL_RED;
            }
            break;
        default: //~ default unreachable
            return -1;
        }
        if (main_light != RED && side_light != RED) { //~ T unreachable, F covered
            return -2;
        }
        if (walking && (main_light == GREEN || side_light == GREEN)) { //~ T unreachable, F covered
            return -3;
        }
        if (ticks > GREEN_TICKS) { //~ T unreachable, F covered
            return -4;
        }
    }
}
