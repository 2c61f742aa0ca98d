/* Functions without a body return what the test says, call by call. */
#define ATTEST@RESULTS(function, array) \
    (attest@results_##function.values = (array), \
     attest@results_##function.count = sizeof(array) / sizeof *(array))

static void __attribute__((__unused__, __noreturn__)) attest@unexpected_call(const char *function)
{
    attest@printf("    unexpected call of %s\n", function);
    attest@fflush(NULL);
    attest@leave(ATTEST@FAILED);
}
