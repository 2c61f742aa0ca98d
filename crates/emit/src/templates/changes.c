
/* What functions without a body write. */
enum { ATTEST@OBJECT = -1, ATTEST@PLACE = -2, ATTEST@RESULT = -3, ATTEST@REST = -4 };

struct attest@change {
    unsigned long call;  /* which call of the function, from 0 */
    int start;           /* an argument, by its number, or one of the above */
    const void *object;  /* of ATTEST@OBJECT; of ATTEST@PLACE, where its address was put */
    const char *rest;    /* of ATTEST@REST, the kinds of the further arguments, up to the one meant */
    const long *path;    /* what is added; what comes before the last leads to a pointer each */
    unsigned steps;
    long first;          /* the first bit that is written, and how many are */
    unsigned long bits;
    const void *value;   /* what is written, at the same bits */
    void **keep;         /* takes the address that the path leads to */
    void *const *target; /* writes this address, with an offset; or that of an argument */
    long offset;
    int argument;        /* from 1 */
    void *at;
};

struct attest@calls {
    struct attest@change *changes;
    unsigned long count, next, made;
};

struct attest@rest {
    __builtin_va_list list;
};

#define ATTEST@CHANGES(function, array) \
    (attest@calls_##function.changes = (array), \
     attest@calls_##function.count = sizeof(array) / sizeof *(array))

/* The last of some further arguments, which is a pointer, or a number that is an address. */
static void *attest@rest_argument(struct attest@rest *rest, const char *kinds)
{
    void *found = NULL;
    __builtin_va_list list;
    __builtin_va_copy(list, rest->list);
    for (; *kinds; kinds++)
        switch (*kinds) {
        case 'i':
            found = (void *)(unsigned long)__builtin_va_arg(list, unsigned);
            break;
        case 'l':
            found = (void *)(unsigned long)__builtin_va_arg(list, unsigned long long);
            break;
        case 'd':
            (void)__builtin_va_arg(list, double);
            break;
        case 'D':
            (void)__builtin_va_arg(list, long double);
            break;
        default:
            found = __builtin_va_arg(list, void *);
        }
    __builtin_va_end(list);
    return found;
}

static void attest@copy_bits(void *to, const void *from, long first, unsigned long bits)
{
    long low = first >= 0 ? first / 8 : -((-first + 7) / 8);
    unsigned char *target = (unsigned char *)to + low;
    const unsigned char *source = (const unsigned char *)from + low;
    unsigned long bit = (unsigned long)(first - low * 8);
    if (bit % 8 == 0 && bits % 8 == 0) {
        attest@memcpy(target, source, bits / 8);
        return;
    }
    for (; bits > 0; bits--, bit++) {
        unsigned char mask = (unsigned char)(1u << bit % 8);
        target[bit / 8] = (unsigned char)((target[bit / 8] & ~mask) | (source[bit / 8] & mask));
    }
}

/* A call of a function: all ways are gone before anything is written. */
static __attribute__((__unused__)) void attest@call(struct attest@calls *calls, void *const *arguments,
                                                struct attest@rest *rest, void *result)
{
    unsigned long call, i, end;
    if (attest@running == NULL)
        return;
    call = calls->made++;
    for (end = calls->next; end < calls->count && calls->changes[end].call == call; end++) {
        struct attest@change *change = &calls->changes[end];
        void *pointer = NULL;
        char *at;
        unsigned step;
        if (change->start >= 0)
            at = arguments[change->start];
        else if (change->start == ATTEST@RESULT)
            at = result;
        else if (change->start == ATTEST@PLACE)
            at = *(char *const *)change->object;
        else if (change->start == ATTEST@REST) {
            pointer = attest@rest_argument(rest, change->rest);
            at = (char *)&pointer;
        } else
            at = (char *)change->object;
        for (step = 0; step < change->steps; step++) {
            if (step > 0)
                attest@memcpy(&at, at, sizeof at); /* perhaps of a packed record */
            at += change->path[step];
        }
        change->at = at;
        if (change->keep != NULL)
            *change->keep = at;
    }
    for (i = calls->next; i < end; i++) {
        const struct attest@change *change = &calls->changes[i];
        if (change->value != NULL)
            attest@copy_bits(change->at, change->value, change->first, change->bits);
        if (change->argument > 0)
            attest@memcpy(change->at, arguments[change->argument - 1], sizeof(void *));
        if (change->target != NULL) {
            void *pointer = (char *)*change->target + change->offset;
            attest@memcpy((char *)change->at + change->first / 8, &pointer, sizeof pointer);
        }
    }
    calls->next = end;
}
