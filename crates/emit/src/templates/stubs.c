/* Functions without a body return what the test says, call by call. */
#define ATTEST@RESULTS(function, array) \
    (attest@results_##function.values = (array), \
     attest@results_##function.count = ATTEST@COUNT(array))
/* How many values an array has; as many as anybody asks for, if they have no bytes. */
#define ATTEST@COUNT(array) \
    (sizeof *(array) ? sizeof(array) / (sizeof *(array) + !sizeof *(array)) : ~0ul)

struct attest@test;
static const struct attest@test *attest@running;

/* What constructors call runs before any test: such calls return zero, and change nothing. */
static void __attribute__((__unused__)) attest@unexpected_call(const char *function)
{
    if (attest@running == NULL)
        return;
    attest@printf("    unexpected call of %s\n", function);
    attest@fflush(NULL);
    attest@leave(ATTEST@FAILED);
}
