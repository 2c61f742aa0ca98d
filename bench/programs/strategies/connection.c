/*
 * A connection's state machine, in the manner of TCP's, fed with twelve events: goals that only
 * certain sequences of events reach, with numbers that have to fit.
 *
 *     attest cover bench/programs/strategies/connection.c -f connection --scope file
 */
#include "attest.h"

enum { EVENTS = 12, WINDOW = 3 };

enum state { CLOSED, LISTENING, GREETED, OPEN, CLOSING, LAST, DONE };

enum kind { LISTEN, GREET, ACKNOWLEDGE, DATA, CLOSE, RESET };

struct event {
    unsigned char kind;
    unsigned char number;
};

struct connection {
    enum state state;
    unsigned char expected; /* the number of the next event that carries one */
    int received;
    int resets;
};

static int open_step(struct connection *connection, struct event event)
{
    switch (event.kind) {
    case DATA:
        if (event.number != connection->expected) {
            return -1;
        }
        connection->expected++;
        connection->received++;
        if (connection->received > WINDOW) {
            connection->state = CLOSING;
        }
        return 0;
    case ACKNOWLEDGE:
        if (event.number > connection->expected) {
            return -2;
        }
        return 0;
    case CLOSE:
        connection->state = CLOSING;
        return 0;
    default:
        return -3;
    }
}

static int closing_step(struct connection *connection, struct event event)
{
    if (connection->state == CLOSING) {
        if (event.kind == ACKNOWLEDGE && event.number == connection->expected) {
            connection->state = LAST;
            return 0;
        }
        return -4;
    }
    if (event.kind == CLOSE) {
        connection->state = DONE;
        return 0;
    }
    return -5;
}

static int step(struct connection *connection, struct event event)
{
    if (event.kind == RESET) {
        connection->state = CLOSED;
        connection->resets++;
        return 0;
    }
    switch (connection->state) {
    case CLOSED:
        if (event.kind != LISTEN) {
            return -6;
        }
        connection->state = LISTENING;
        return 0;
    case LISTENING:
        if (event.kind != GREET) {
            return -7;
        }
        connection->expected = (unsigned char)(event.number + 1);
        connection->state = GREETED;
        return 0;
    case GREETED:
        if (event.kind != ACKNOWLEDGE || event.number != connection->expected) {
            return -8;
        }
        connection->state = OPEN;
        return 0;
    case OPEN:
        return open_step(connection, event);
    case CLOSING:
    case LAST:
        return closing_step(connection, event);
    default:
        return -9;
    }
}

int connection(void)
{
    struct event events[EVENTS];
    struct connection connection = {CLOSED, 0, 0, 0};

    ATTEST_INPUT(events);
    for (int i = 0; i < EVENTS; i++) {
        int failed = step(&connection, events[i]);
        if (failed != 0) {
            return failed;
        }
    }
    if (connection.state == DONE) {
        return 1;
    }
    if (connection.received > WINDOW && connection.resets == 1) {
        return 2;
    }
    if (connection.resets == EVENTS / 2) {
        return 3;
    }
    return 0;
}
