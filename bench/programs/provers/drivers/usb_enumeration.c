// attest: cover -f usb_enumeration --scope file --no-replay
/*
 * A host enumerates the devices at three ports: it powers a port, resets the device, gives it an
 * address, reads its descriptors and attaches a driver of its class. Every way out of a state goes
 * through one function that gives back what the state holds, so addresses, drivers, bandwidth and
 * the one transfer to address zero are always counted as the states of the ports say.
 */
unsigned input(void);

enum { PORTS = 3, ATTEMPTS = 3, RESET_TICKS = 10, BANDWIDTH = 900, LONGEST_DESCRIPTOR = 64 };

enum port_state {
    UNPOWERED,
    EMPTY,
    DEBOUNCING,
    RESETTING,
    NAMELESS, /* the device answers at address zero */
    ADDRESSED,
    CONFIGURED,
    SUSPENDED,
    GIVEN_UP
};

enum device_class { NO_CLASS, STORAGE, KEYBOARD, AUDIO, HUB };

enum event_kind {
    POWER_ON,
    POWER_OFF,
    CONNECT,
    DISCONNECT,
    TICK,
    TRANSFER_DONE,
    TRANSFER_FAILED,
    SUSPEND,
    RESUME,
    QUIT
};

enum outcome { FINE, IGNORED, REFUSED, BROKEN };

struct port {
    enum port_state state;
    enum device_class device_class;
    unsigned address;
    unsigned attempts;
    unsigned ticks;
    unsigned bandwidth;
    int has_driver;
};

struct host {
    struct port ports[PORTS];
    unsigned addresses; /* bit n is set while address n is in use */
    unsigned addressed;
    unsigned drivers;
    unsigned bandwidth;
    unsigned owner_of_zero; /* the port whose device answers at address zero, or PORTS */
    unsigned enumerated;
    unsigned given_up;
    unsigned refused;
};

struct event {
    unsigned kind;
    unsigned port;
    unsigned value;
};

/* Addresses */

static unsigned take_address(struct host *host)
{
    for (unsigned address = 1; address <= PORTS; address++) { //~ T covered, F unreachable
        unsigned bit = 1u << address;
        if ((host->addresses & bit) == 0) { //~ T covered, F covered
            host->addresses |= bit;
            host->addressed++;
            return address;
        }
    }
    return 0;
}

static void give_address_back(struct host *host, struct port *port)
{
    host->addresses &= ~(1u << port->address);
    host->addressed--;
    port->address = 0;
}

/* Drivers and their bandwidth */

static unsigned bandwidth_of(enum device_class device_class, unsigned wish)
{
    switch (device_class) {
    case STORAGE: //~ case 1 covered
        return 100;
    case KEYBOARD: //~ case 2 covered
        return 8;
    case AUDIO: //~ case 3 covered
        return wish < 500 ? wish : 500; //~ T covered, F covered
    case HUB: //~ case 4 covered
        return 1;
    default: //~ default unreachable
        return BANDWIDTH + 1;
    }
}

static enum outcome attach_driver(struct host *host, struct port *port, unsigned wish)
{
    unsigned needed = bandwidth_of(port->device_class, wish);

    if (port->has_driver) { //~ T unreachable, F covered
        return BROKEN;
    }
    if (needed > BANDWIDTH) { //~ T unreachable, F covered
        return BROKEN;
    }
    if (host->bandwidth + needed > BANDWIDTH) { //~ T covered, F covered
        host->refused++;
        return REFUSED;
    }
    host->bandwidth += needed;
    port->bandwidth = needed;
    port->has_driver = 1;
    host->drivers++;
    return FINE;
}

static void detach_driver(struct host *host, struct port *port)
{
    host->bandwidth -= port->bandwidth;
    host->drivers--;
    port->bandwidth = 0;
    port->has_driver = 0;
}

/* Leaving states */

static void release_all(struct host *host, unsigned number)
{
    struct port *port = &host->ports[number];

    if (port->has_driver) { //~ T covered, F covered
        detach_driver(host, port);
    }
    if (port->address != 0) { //~ T covered, F covered
        give_address_back(host, port);
    }
    if (host->owner_of_zero == number) { //~ T covered, F covered
        host->owner_of_zero = PORTS;
    }
    port->device_class = NO_CLASS;
    port->ticks = 0;
}

static void leave_to(struct host *host, unsigned number, enum port_state state)
{
    release_all(host, number);
    host->ports[number].attempts = 0;
    host->ports[number].state = state;
}

static enum outcome try_again(struct host *host, unsigned number)
{
    struct port *port = &host->ports[number];

    release_all(host, number);
    port->attempts++;
    if (port->attempts == ATTEMPTS) { //~ T covered, F covered
        leave_to(host, number, GIVEN_UP);
        host->given_up++;
        return REFUSED;
    }
    if (port->attempts > ATTEMPTS) { //~ T unreachable, F covered
        return BROKEN;
    }
    port->state = DEBOUNCING;
    return FINE;
}

/* Power and connections */

static enum outcome power_event(struct host *host, const struct event *event)
{
    struct port *port = &host->ports[event->port];

    if (event->kind == POWER_OFF) { //~ T covered, F covered
        if (port->state == UNPOWERED) { //~ T covered, F covered
            return IGNORED;
        }
        leave_to(host, event->port, UNPOWERED);
        return FINE;
    }
    if (port->state != UNPOWERED) { //~ T covered, F covered
        return IGNORED;
    }
    if (port->address != 0 || port->has_driver) { //~ T unreachable, F covered
        return BROKEN;
    }
    port->state = EMPTY;
    return FINE;
}

static enum outcome connection_event(struct host *host, const struct event *event)
{
    struct port *port = &host->ports[event->port];

    if (event->kind == CONNECT) { //~ T covered, F covered
        if (port->state != EMPTY) { //~ T covered, F covered
            return IGNORED;
        }
        if (port->attempts != 0) { //~ T unreachable, F covered
            return BROKEN;
        }
        port->state = DEBOUNCING;
        port->ticks = 0;
        return FINE;
    }
    if (port->state == UNPOWERED || port->state == EMPTY) { //~ T covered, F covered
        return IGNORED;
    }
    leave_to(host, event->port, EMPTY);
    return FINE;
}

/* Time */

static enum outcome debounce(struct host *host, unsigned number)
{
    struct port *port = &host->ports[number];

    port->ticks++;
    if (port->ticks < 2) { //~ T covered, F covered
        return FINE;
    }
    if (host->owner_of_zero == number) { //~ T unreachable, F covered
        return BROKEN;
    }
    if (host->owner_of_zero != PORTS) { //~ T covered, F covered
        port->ticks = 0;
        return IGNORED;
    }
    host->owner_of_zero = number;
    port->state = RESETTING;
    port->ticks = 0;
    return FINE;
}

static enum outcome reset_tick(struct host *host, unsigned number)
{
    struct port *port = &host->ports[number];

    if (host->owner_of_zero != number) { //~ T unreachable, F covered
        return BROKEN;
    }
    port->ticks++;
    if (port->ticks > RESET_TICKS) { //~ T unreachable, F covered
        return BROKEN;
    }
    if (port->ticks == RESET_TICKS) { //~ T covered, F covered
        port->state = NAMELESS;
        port->ticks = 0;
    }
    return FINE;
}

static enum outcome wait_for_answer(struct host *host, unsigned number)
{
    struct port *port = &host->ports[number];

    port->ticks++;
    if (port->ticks == 2 * RESET_TICKS) { //~ T covered, F covered
        return try_again(host, number);
    }
    return FINE;
}

static enum outcome tick_event(struct host *host, const struct event *event)
{
    switch (host->ports[event->port].state) {
    case DEBOUNCING: //~ case 2 covered
        return debounce(host, event->port);
    case RESETTING: //~ case 3 covered
        return reset_tick(host, event->port);
    case NAMELESS: //~ case 4 covered
        return wait_for_answer(host, event->port);
    case ADDRESSED: //~ case 5 covered
        return wait_for_answer(host, event->port);
    default: //~ default covered
        return IGNORED;
    }
}

/* Transfers */

static enum outcome address_was_set(struct host *host, unsigned number)
{
    struct port *port = &host->ports[number];

    if (host->owner_of_zero != number) { //~ T unreachable, F covered
        return BROKEN;
    }
    host->owner_of_zero = PORTS;
    port->address = take_address(host);
    if (port->address == 0) { //~ T unreachable, F covered
        return BROKEN;
    }
    port->state = ADDRESSED;
    port->ticks = 0;
    return FINE;
}

static enum outcome descriptor_came(struct host *host, const struct event *event)
{
    struct port *port = &host->ports[event->port];
    unsigned length = event->value % 256;
    unsigned code = event->value / 256 % 8;
    enum outcome outcome;

    if (port->address == 0) { //~ T unreachable, F covered
        return BROKEN;
    }
    if (length < 18 || length > LONGEST_DESCRIPTOR) { //~ T covered, F covered
        return try_again(host, event->port);
    }
    switch (code) {
    case 1: //~ case 1 covered
        port->device_class = STORAGE;
        break;
    case 2: //~ case 2 covered
        port->device_class = KEYBOARD;
        break;
    case 3: //~ case 3 covered
        port->device_class = AUDIO;
        break;
    case 4: //~ case 4 covered
        port->device_class = HUB;
        break;
    default: //~ default covered
        return try_again(host, event->port);
    }
    outcome = attach_driver(host, port, event->value / 2048);
    if (outcome == REFUSED) { //~ T covered, F covered
        return try_again(host, event->port);
    }
    if (outcome == FINE) { //~ T covered, F unreachable
        port->state = CONFIGURED;
        port->attempts = 0;
        port->ticks = 0;
        host->enumerated++;
    }
    return outcome;
}

static enum outcome transfer_event(struct host *host, const struct event *event)
{
    enum port_state state = host->ports[event->port].state;

    if (event->kind == TRANSFER_FAILED) { //~ T covered, F covered
        if (state == NAMELESS || state == ADDRESSED) { //~ T covered, F covered
            return try_again(host, event->port);
        }
        return IGNORED;
    }
    if (state == NAMELESS) { //~ T covered, F covered
        return address_was_set(host, event->port);
    }
    if (state == ADDRESSED) { //~ T covered, F covered
        return descriptor_came(host, event);
    }
    return IGNORED;
}

/* Sleep */

static enum outcome sleep_event(struct host *host, const struct event *event)
{
    struct port *port = &host->ports[event->port];

    if (event->kind == SUSPEND) { //~ T covered, F covered
        if (port->state != CONFIGURED) { //~ T covered, F covered
            return IGNORED;
        }
        if (!port->has_driver) { //~ T unreachable, F covered
            return BROKEN;
        }
        port->state = SUSPENDED;
        return FINE;
    }
    if (port->state != SUSPENDED) { //~ T covered, F covered
        return IGNORED;
    }
    if (port->address == 0) { //~ T unreachable, F covered
        return BROKEN;
    }
    port->state = CONFIGURED;
    return FINE;
}

static enum outcome dispatch(struct host *host, const struct event *event)
{
    switch (event->kind) {
    case POWER_ON: //~ case 0 covered
        return power_event(host, event);
    case POWER_OFF: //~ case 1 covered
        return power_event(host, event);
    case CONNECT: //~ case 2 covered
        return connection_event(host, event);
    case DISCONNECT: //~ case 3 covered
        return connection_event(host, event);
    case TICK: //~ case 4 covered
        return tick_event(host, event);
    case TRANSFER_DONE: //~ case 5 covered
        return transfer_event(host, event);
    case TRANSFER_FAILED: //~ case 6 covered
        return transfer_event(host, event);
    case SUSPEND: //~ case 7 covered
        return sleep_event(host, event);
    case RESUME: //~ case 8 covered
        return sleep_event(host, event);
    default: //~ default covered
        return IGNORED;
    }
}

/* What the host counts, counted again from its ports */

static int counts_agree(const struct host *host)
{
    unsigned addressed = 0;
    unsigned drivers = 0;
    unsigned bandwidth = 0;

    for (unsigned i = 0; i < PORTS; i++) { //~ T covered, F covered
        const struct port *port = &host->ports[i];
        if (port->address != 0) { //~ T covered, F covered
            addressed++;
        }
        if (port->has_driver) { //~ T covered, F covered
            drivers++;
        }
        bandwidth += port->bandwidth;
    }
    if (addressed != host->addressed) { //~ T unreachable, F covered
        return 0;
    }
    if (drivers != host->drivers || bandwidth != host->bandwidth) { //~ T unreachable, F covered
        return 0;
    }
    return 1;
}

static void start(struct host *host)
{
    for (unsigned i = 0; i < PORTS; i++) { //~ T covered, F covered
        struct port port = {UNPOWERED, NO_CLASS, 0, 0, 0, 0, 0};
        host->ports[i] = port;
    }
    host->addresses = 0;
    host->addressed = 0;
    host->drivers = 0;
    host->bandwidth = 0;
    host->owner_of_zero = PORTS;
    host->enumerated = 0;
    host->given_up = 0;
    host->refused = 0;
}

int usb_enumeration(void)
{
    struct host host;

    start(&host);
    for (;;) {
        struct event event;
        event.kind = input();
        event.port = input() % PORTS;
        event.value = input();
        if (event.kind == QUIT) { //~ T covered, F covered
            break;
        }
        if (dispatch(&host, &event) == BROKEN) { //~ T unreachable, F covered
            return -1;
        }
        if (host.drivers > host.addressed) { //~ T unreachable, F covered
            return -2;
        }
        if (host.bandwidth > BANDWIDTH) { //~ T unreachable, F covered
            return -3;
        }
    }
    if (!counts_agree(&host)) { //~ T unreachable, F covered
        return -4;
    }
    if (host.enumerated >= 4) { //~ T covered, F covered
        return 1;
    }
    if (host.given_up >= 2) { //~ T covered, F covered
        return 2;
    }
    return host.drivers == PORTS ? 3 : 0; //~ T covered, F covered
}
