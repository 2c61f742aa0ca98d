// attest: cover -f handshake --scope file --no-replay
/*
 * Two sides agree on a session in three messages, each with the number of the one before plus one;
 * a message that is lost is sent again four times at most. Numbers and retries only change
 * together with the state, so an open session has numbers in step and no retry left over.
 */
unsigned input(void);

enum { RETRIES = 4 };

enum state { IDLE, GREETING_SENT, ANSWER_SENT, OPEN, FAILED };

enum message { NOTHING, GREETING, ANSWER, CONFIRMATION, BYE, SHUTDOWN };

struct session {
    enum state state;
    unsigned mine;
    unsigned theirs;
    unsigned retries;
};

static void lose(struct session *session)
{
    session->retries++;
    if (session->retries > RETRIES) { //~ T covered, F covered
        session->state = FAILED;
        session->retries = 0;
    }
}

static void become_open(struct session *session)
{
    session->state = OPEN;
    session->retries = 0;
}

static void idle_step(struct session *session, enum message message)
{
    if (message == GREETING) { //~ T covered, F covered
        session->theirs = input();
        session->mine = session->theirs + 1;
        session->state = ANSWER_SENT;
    } else if (message == NOTHING) { //~ T covered, F covered
        session->mine = input();
        session->theirs = session->mine + 1;
        session->state = GREETING_SENT;
    }
}

static int step(struct session *session, enum message message)
{
    unsigned ahead;

    switch (session->state) {
    case IDLE: //~ case 0 covered
        if (session->retries != 0) { //~ T unreachable, F covered
            return -1;
        }
        idle_step(session, message);
        return 0;
    case GREETING_SENT: //~ case 1 covered
        if (message == ANSWER && input() == session->mine + 1) { //~ T covered, F covered
            become_open(session);
        } else {
            lose(session);
        }
        return 0;
    case ANSWER_SENT: //~ case 2 covered
        if (message == CONFIRMATION && input() == session->mine) { //~ T covered, F covered
            become_open(session);
        } else {
            lose(session);
        }
        return 0;
    case OPEN: //~ case 3 covered
        if (session->retries != 0) { //~ T unreachable, F covered
            return -2;
        }
        ahead = session->mine - session->theirs;
        if (ahead != 1 && ahead + 1 != 0) { //~ T unreachable, F covered
            return -3;
        }
        if (message == BYE) { //~ T covered, F covered
            session->state = IDLE;
        }
        return 0;
    case FAILED: //~ case 4 covered
        if (session->retries != 0) { //~ T unreachable, F covered
            return -4;
        }
        session->state = IDLE;
        return 0;
    default: //~ default unreachable
        return -5;
    }
}

int handshake(void)
{
    struct session session = {IDLE, 0, 0, 0};
    unsigned sessions = 0;
    unsigned failures = 0;

    for (;;) {
        unsigned message = input() % 6;
        enum state before = session.state;
        if (message == SHUTDOWN) { //~ T covered, F covered
            break;
        }
        if (step(&session, (enum message)message) != 0) { //~ T unreachable, F covered
            return -1;
        }
        if (before != OPEN && session.state == OPEN) { //~ T covered, F covered
            sessions++;
        }
        if (before == FAILED) { //~ T covered, F covered
            failures++;
        }
        if (session.retries > RETRIES) { //~ T unreachable, F covered
            return -2;
        }
    }
    if (sessions >= 2 && failures >= 2) { //~ T covered, F covered
        return 1;
    }
    return 0;
}
