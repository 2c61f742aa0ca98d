// attest: cover -f disk_controller --scope file --no-replay
/*
 * A driver of a disk controller keeps its state in static objects: power, registers, three tagged
 * commands, a cache of dirty blocks and error counters. Each handler restores the relations of
 * these before it returns, and input is only called in between, so a flag never contradicts a
 * counter: no command is active on a disk at rest, and no dirty block outlives a flush.
 */
unsigned input(void);

enum { TAGS = 3, CACHE = 6, SPIN_UP_TICKS = 15, IDLE_TICKS = 25, TIMEOUT_TICKS = 8, ERRORS = 4 };

enum power { OFF, SPINNING_UP, ACTIVE, IDLE, SLEEPING, DEAD };

enum operation { NONE, READ, WRITE, FLUSH, VERIFY };

enum event { POWER, REGISTER, COMMAND, INTERRUPT, TIMER, LEAVE };

enum result { DONE, BUSY, INVALID, NOT_READY, FATAL };

enum status_bit { STATUS_READY = 1, STATUS_BUSY = 2, STATUS_ERROR = 4, STATUS_SLEEP = 8 };

struct command {
    enum operation operation;
    unsigned blocks;
    unsigned age;
    int is_active;
};

static enum power power;
static struct command commands[TAGS];
static unsigned active_commands;
static unsigned dirty_blocks;
static unsigned status;
static unsigned spin_ticks;
static unsigned idle_ticks;
static unsigned errors;
static unsigned spin_ups;
static unsigned flushes;
static unsigned dropped;
static int interrupts_are_on;
static int write_cache_is_on;
static int flush_is_active;

/* Status */

static void set_status(unsigned set, unsigned clear)
{
    status = (status & ~clear) | set;
}

static void show_work(void)
{
    if (active_commands > 0) { //~ T covered, F covered
        set_status(STATUS_BUSY, 0);
    } else {
        set_status(0, STATUS_BUSY);
    }
}

/* Commands */

static int find_free_tag(void)
{
    for (int tag = 0; tag < TAGS; tag++) { //~ T covered, F covered
        if (!commands[tag].is_active) { //~ T covered, F covered
            return tag;
        }
    }
    return -1;
}

static void end_command(unsigned tag)
{
    struct command *command = &commands[tag];

    if (command->operation == FLUSH) { //~ T covered, F covered
        flush_is_active = 0;
    }
    command->operation = NONE;
    command->blocks = 0;
    command->age = 0;
    command->is_active = 0;
    active_commands--;
    show_work();
}

static void drop_commands(void)
{
    for (unsigned tag = 0; tag < TAGS; tag++) { //~ T covered, F covered
        if (commands[tag].is_active) { //~ T covered, F covered
            end_command(tag);
            dropped++;
        }
    }
}

static enum result begin_command(enum operation operation, unsigned blocks)
{
    int tag = find_free_tag();

    if (tag < 0) { //~ T covered, F covered
        if (active_commands != TAGS) { //~ T unreachable, F covered
            return FATAL;
        }
        return BUSY;
    }
    if (active_commands >= TAGS) { //~ T unreachable, F covered
        return FATAL;
    }
    commands[tag].operation = operation;
    commands[tag].blocks = blocks;
    commands[tag].age = 0;
    commands[tag].is_active = 1;
    active_commands++;
    idle_ticks = 0;
    show_work();
    return DONE;
}

static enum result begin_flush(void)
{
    enum result result;

    if (flush_is_active) { //~ T covered, F covered
        return BUSY;
    }
    result = begin_command(FLUSH, dirty_blocks);
    if (result == DONE) { //~ T covered, F covered
        flush_is_active = 1;
    }
    return result;
}

/* Power */

static void go_to_rest(enum power to)
{
    drop_commands();
    power = to;
    idle_ticks = 0;
    spin_ticks = 0;
    set_status(0, STATUS_READY);
}

static void die(void)
{
    go_to_rest(DEAD);
    dirty_blocks = 0;
    set_status(STATUS_ERROR, STATUS_SLEEP);
}

static void start_spinning(void)
{
    power = SPINNING_UP;
    spin_ticks = 0;
    spin_ups++;
    set_status(0, STATUS_SLEEP);
}

static enum result power_on(void)
{
    if (power != OFF) { //~ T covered, F covered
        return INVALID;
    }
    if (active_commands != 0 || dirty_blocks != 0) { //~ T unreachable, F covered
        return FATAL;
    }
    errors = 0;
    start_spinning();
    return DONE;
}

static enum result power_off(void)
{
    if (power == OFF) { //~ T covered, F covered
        return INVALID;
    }
    go_to_rest(OFF);
    dirty_blocks = 0;
    set_status(0, STATUS_ERROR | STATUS_SLEEP);
    if (status != 0) { //~ T unreachable, F covered
        return FATAL;
    }
    return DONE;
}

static enum result go_to_sleep(void)
{
    if (power != ACTIVE && power != IDLE) { //~ T covered, F covered
        return NOT_READY;
    }
    if (dirty_blocks > 0 || active_commands > 0) { //~ T covered, F covered
        return BUSY;
    }
    go_to_rest(SLEEPING);
    set_status(STATUS_SLEEP, 0);
    return DONE;
}

static enum result wake_up(void)
{
    if (power != SLEEPING) { //~ T covered, F covered
        return INVALID;
    }
    if ((status & STATUS_SLEEP) == 0) { //~ T unreachable, F covered
        return FATAL;
    }
    if (dirty_blocks != 0) { //~ T unreachable, F covered
        return FATAL;
    }
    start_spinning();
    return DONE;
}

static enum result on_power(unsigned argument)
{
    switch (argument % 4) {
    case 0: //~ case 0 covered
        return power_on();
    case 1: //~ case 1 covered
        return power_off();
    case 2: //~ case 2 covered
        return go_to_sleep();
    case 3: //~ case 3 covered
        return wake_up();
    default: //~ default unreachable
        return FATAL;
    }
}

/* Registers */

static enum result on_register(unsigned argument)
{
    unsigned value = argument / 4;

    switch (argument % 4) {
    case 0: //~ case 0 covered
        interrupts_are_on = value % 2 == 1;
        return DONE;
    case 1: //~ case 1 covered
        if (value % 2 == 0 && dirty_blocks > 0) { //~ T covered, F covered
            return BUSY;
        }
        write_cache_is_on = value % 2 == 1;
        return DONE;
    case 2: //~ case 2 covered
        if (power == DEAD) { //~ T covered, F covered
            return NOT_READY;
        }
        errors = 0;
        set_status(0, STATUS_ERROR);
        return DONE;
    default: //~ default covered
        return INVALID;
    }
}

/* New commands */

static enum result on_write(unsigned blocks)
{
    if (!write_cache_is_on || blocks > CACHE) { //~ T covered, F covered
        return begin_command(WRITE, blocks);
    }
    if (dirty_blocks + blocks > CACHE) { //~ T covered, F covered
        return begin_flush();
    }
    dirty_blocks += blocks;
    idle_ticks = 0;
    return DONE;
}

static enum result on_command(unsigned argument)
{
    unsigned blocks = argument / 8 % 16;

    if (power == IDLE) { //~ T covered, F covered
        if (active_commands != 0) { //~ T unreachable, F covered
            return FATAL;
        }
        power = ACTIVE;
        idle_ticks = 0;
    }
    if (power != ACTIVE) { //~ T covered, F covered
        return NOT_READY;
    }
    if ((status & STATUS_READY) == 0) { //~ T unreachable, F covered
        return FATAL;
    }
    if (blocks == 0) { //~ T covered, F covered
        return INVALID;
    }
    switch (argument % 8) {
    case READ: //~ case 1 covered
        return begin_command(READ, blocks);
    case WRITE: //~ case 2 covered
        return on_write(blocks);
    case FLUSH: //~ case 3 covered
        return begin_flush();
    case VERIFY: //~ case 4 covered
        return begin_command(VERIFY, blocks);
    default: //~ default covered
        return INVALID;
    }
}

/* Interrupts */

static enum result count_error(void)
{
    errors++;
    if (errors == ERRORS) { //~ T covered, F covered
        die();
        return DONE;
    }
    if (errors > ERRORS) { //~ T unreachable, F covered
        return FATAL;
    }
    set_status(STATUS_ERROR, 0);
    return DONE;
}

static enum result flush_ended(unsigned tag)
{
    unsigned written = commands[tag].blocks;

    if (!flush_is_active) { //~ T unreachable, F covered
        return FATAL;
    }
    if (written > dirty_blocks) { //~ T unreachable, F covered
        return FATAL;
    }
    dirty_blocks -= written;
    end_command(tag);
    flushes++;
    return DONE;
}

static enum result on_interrupt(unsigned argument)
{
    unsigned tag = argument / 2 % TAGS;

    if (!interrupts_are_on) { //~ T covered, F covered
        return NOT_READY;
    }
    if (!commands[tag].is_active) { //~ T covered, F covered
        return INVALID;
    }
    if (power != ACTIVE) { //~ T unreachable, F covered
        return FATAL;
    }
    if (argument % 2 == 1) { //~ T covered, F covered
        end_command(tag);
        return count_error();
    }
    switch (commands[tag].operation) {
    case READ: //~ case 1 covered
        end_command(tag);
        return DONE;
    case WRITE: //~ case 2 covered
        end_command(tag);
        return DONE;
    case FLUSH: //~ case 3 covered
        return flush_ended(tag);
    case VERIFY: //~ case 4 covered
        end_command(tag);
        return DONE;
    default: //~ default unreachable
        return FATAL;
    }
}

/* Time */

static enum result age_commands(void)
{
    for (unsigned tag = 0; tag < TAGS; tag++) { //~ T covered, F covered
        if (!commands[tag].is_active) { //~ T covered, F covered
            continue;
        }
        commands[tag].age++;
        if (commands[tag].age > TIMEOUT_TICKS) { //~ T unreachable, F covered
            return FATAL;
        }
        if (commands[tag].age == TIMEOUT_TICKS) { //~ T covered, F covered
            end_command(tag);
            return count_error();
        }
    }
    return DONE;
}

static enum result on_timer(void)
{
    switch (power) {
    case SPINNING_UP: //~ case 1 covered
        spin_ticks++;
        if (spin_ticks == SPIN_UP_TICKS) { //~ T covered, F covered
            power = ACTIVE;
            idle_ticks = 0;
            set_status(STATUS_READY, 0);
        }
        return DONE;
    case ACTIVE: //~ case 2 covered
        if (active_commands > 0) { //~ T covered, F covered
            return age_commands();
        }
        idle_ticks++;
        if (idle_ticks == IDLE_TICKS) { //~ T covered, F covered
            power = IDLE;
        }
        return DONE;
    default: //~ default covered
        return DONE;
    }
}

/* The event loop */

static int is_consistent(void)
{
    if (active_commands > 0 && power != ACTIVE) { //~ T unreachable, F covered
        return 0;
    }
    if (dirty_blocks > CACHE) { //~ T unreachable, F covered
        return 0;
    }
    if (dirty_blocks > 0 && !write_cache_is_on) { //~ T unreachable, F covered
        return 0;
    }
    if (((status & STATUS_BUSY) != 0) != (active_commands > 0)) { //~ T unreachable, F covered
        return 0;
    }
    if (power == DEAD && (status & STATUS_READY) != 0) { //~ T unreachable, F covered
        return 0;
    }
    return 1;
}

static void reset_all(void)
{
    for (unsigned tag = 0; tag < TAGS; tag++) { //~ T covered, F covered
        commands[tag].operation = NONE;
        commands[tag].blocks = 0;
        commands[tag].age = 0;
        commands[tag].is_active = 0;
    }
    power = OFF;
    active_commands = 0;
    dirty_blocks = 0;
    status = 0;
    spin_ticks = 0;
    idle_ticks = 0;
    errors = 0;
    spin_ups = 0;
    flushes = 0;
    dropped = 0;
    interrupts_are_on = 0;
    write_cache_is_on = 0;
    flush_is_active = 0;
}

static enum result dispatch(unsigned event, unsigned argument)
{
    switch (event) {
    case POWER: //~ case 0 covered
        return on_power(argument);
    case REGISTER: //~ case 1 covered
        return on_register(argument);
    case COMMAND: //~ case 2 covered
        return on_command(argument);
    case INTERRUPT: //~ case 3 covered
        return on_interrupt(argument);
    case TIMER: //~ case 4 covered
        return on_timer();
    default: //~ default covered
        return INVALID;
    }
}

int disk_controller(void)
{
    reset_all();
    for (;;) {
        unsigned event = input();
        unsigned argument = input();
        if (event == LEAVE) { //~ T covered, F covered
            break;
        }
        if (dispatch(event, argument) == FATAL) { //~ T unreachable, F covered
            return -1;
        }
        if (!is_consistent()) { //~ T unreachable, F covered
            return -2;
        }
    }
    if (power == DEAD && dropped > 0) { //~ T covered, F covered
        return 1;
    }
    if (flushes >= 2 && spin_ups >= 2) { //~ T covered, F covered
        return 2;
    }
    return status == (STATUS_READY | STATUS_BUSY) ? 3 : 0; //~ T covered, F covered
}
