/* Functions without a body return what the test says, call by call. */
#define ATTEST_RESULTS(function, array) \
    (attest_results_##function.values = (array), \
     attest_results_##function.count = sizeof(array) / sizeof *(array))

static void __attribute__((__unused__, __noreturn__)) attest_unexpected_call(const char *function)
{
    attest_printf("    unexpected call of %s\n", function);
    attest_fflush(NULL);
    attest_leave(ATTEST_FAILED);
}
