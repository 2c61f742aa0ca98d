
/* What functions without a body are given. A call that is given something else ends the test. */
struct attest@argument {
    unsigned long call;   /* which call of the function, from 1 */
    const char *name;
    unsigned long number; /* of the argument, from 0 */
    unsigned bits;
    struct {
        enum { ATTEST@NUMBER, ATTEST@POINTER, ATTEST@NO_NULL, ATTEST@CHARACTERS, ATTEST@BYTES } kind;
        const char *text;
        unsigned long long number;
        const void *pointer; /* the expected one, or to the expected bytes */
        unsigned long count, offset;
    } expected;
    unsigned long path[2]; /* where each pointer on the way lies */
    unsigned steps;
    unsigned long first; /* bit */
};

struct attest@arguments {
    const struct attest@argument *expected;
    unsigned long count, next, made;
};

/* The value of a scalar of at most 64 bits, from a bit on. */
static unsigned long long attest@scalar(const unsigned char *at, unsigned long first, unsigned bits)
{
    unsigned long long value = 0;
    unsigned i;
    for (i = 0; i < bits; i++)
        value |= (unsigned long long)(at[(first + i) / 8] >> (first + i) % 8 & 1) << i;
    return value;
}

/* Whether the scalar at an address is as expected; NULL stands for no address. */
static int attest@is_given(const struct attest@argument *argument, const unsigned char *at)
{
    unsigned long long value;
    const void *pointer = NULL;
    if (at == NULL)
        return 0;
    value = attest@scalar(at, argument->first, argument->bits);
    if (argument->expected.kind == ATTEST@NUMBER)
        return ((value ^ argument->expected.number) << (64 - argument->bits)) == 0;
    attest@memcpy(&pointer, at + argument->first / 8, sizeof pointer);
    switch (argument->expected.kind) {
    case ATTEST@POINTER:
        return pointer == argument->expected.pointer;
    case ATTEST@NO_NULL:
        return pointer != NULL;
    case ATTEST@CHARACTERS:
        return pointer != NULL &&
               attest@strcmp((const char *)pointer, (const char *)argument->expected.pointer) == 0;
    default:
        return pointer != NULL &&
               attest@memcmp((const char *)pointer + argument->expected.offset,
                             argument->expected.pointer, argument->expected.count) == 0;
    }
}

/* Tells what a call is given, and ends the test. */
static void attest@given_wrongly(const char *function, const struct attest@argument *argument,
                                 const unsigned char *at)
{
    const char *text = argument->expected.text;
    const void *pointer = NULL;
    if (at != NULL && argument->expected.kind != ATTEST@NUMBER)
        attest@memcpy(&pointer, at + argument->first / 8, sizeof pointer);
    attest@printf("    call %lu of %s: %s is ", argument->call, function, argument->name);
    if (at != NULL && argument->expected.kind == ATTEST@NUMBER) {
        unsigned unused = argument->bits < 32 ? 0 : 64 - argument->bits;
        unsigned long long value = attest@scalar(at, argument->first, argument->bits);
        attest@printf("%lld, expected %s\n", (long long)(value << unused) >> unused, text);
    } else if (pointer != NULL && argument->expected.kind == ATTEST@CHARACTERS)
        attest@printf("\"%.200s\", expected %s\n", (const char *)pointer, text);
    else
        attest@printf("not %s\n", text);
    attest@fflush(NULL);
    attest@abort();
}

/* A call of a function; the addresses are those of its arguments. */
static __attribute__((__unused__)) void attest@check_call(const char *function,
                                                      struct attest@arguments *calls,
                                                      void *const *addresses)
{
    if (attest@running == NULL)
        return;
    calls->made++;
    for (; calls->next < calls->count && calls->expected[calls->next].call <= calls->made;
         calls->next++) {
        const struct attest@argument *argument = &calls->expected[calls->next];
        const unsigned char *at = (const unsigned char *)addresses[argument->number];
        unsigned step;
        for (step = 0; step < argument->steps && at != NULL; step++)
            attest@memcpy(&at, at + argument->path[step], sizeof at);
        if (!attest@is_given(argument, at))
            attest@given_wrongly(function, argument, at);
    }
}
