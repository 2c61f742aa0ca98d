/* ---- The runner: every test in a process of its own, so that each starts fresh. ---- */

/* How a test's process is expected to end, where it is not by exiting with a known status. */
enum { ATTEST_RETURNS = -1, ATTEST_EXITS = -2, ATTEST_ENDS = -3 };

struct attest_test {
    int id;
    void (*run)(void);
    int end; /* an exit status, or one of the above */
};

static const struct attest_test attest_tests[] = {
@TESTS@
};

const char *__asan_default_options(void);
/* Under sanitizers an allocation fails as it does without them, and leaks are no matter. */
const char *__asan_default_options(void)
{
    return "detect_leaks=0:allocator_may_return_null=1";
}

static int attest_done;
static int attest_is_apart;
static int attest_expected_end;

/* Notices when the unit exits although it should return. */
static void attest_at_exit(void)
{
    if (!attest_done && attest_expected_end == ATTEST_RETURNS) {
        attest_printf("    the unit exits, although it should return\n");
        attest_fflush(NULL);
        attest_leave(ATTEST_FAILED);
    }
}

/* Runs a test in this process, which ends with it. */
static void attest_run(const struct attest_test *test)
{
    attest_expected_end = test->end;
    attest_atexit(attest_at_exit);
    *attest_errno() = 0;
    test->run();
    attest_done = 1;
    if (test->end >= 0 || test->end == ATTEST_EXITS)
        attest_fail("the unit returns, although it should exit", __LINE__);
    if (!attest_is_apart)
        attest_printf("test %d %s\n", test->id, attest_failures ? "FAILED" : "passed");
    attest_fflush(NULL);
    if (ATTEST_RUNS_AT_EXIT)
        attest_exit(attest_failures ? ATTEST_FAILED : ATTEST_PASSED);
    attest_leave(attest_failures ? ATTEST_FAILED : ATTEST_PASSED);
}

/* Whether a process ended as its test expects; the low seven bits of a wait status are the signal
   that killed it, the next byte is the exit status. */
static int attest_ended_well(const struct attest_test *test, int status)
{
    int signal = status & 0x7f;
    int exit_status = status >> 8 & 0xff;
    /* Where attest could not go on, or went another way, anything may follow. */
    if (test->end == ATTEST_ENDS)
        return 1;
    if (signal != 0)
        attest_printf("    killed by signal %d\n", signal);
    else if (exit_status == ATTEST_REJECTED)
        attest_printf("    an assumption does not hold\n");
    else if (test->end >= 0 && exit_status != (test->end & 0xff))
        attest_printf("    exit status is %d, expected %d\n", exit_status, test->end & 0xff);
    if (signal != 0)
        return 0;
    return test->end == ATTEST_EXITS || exit_status == (test->end >= 0 ? test->end & 0xff : 0);
}

/* Runs a test in a process of its own; whether it passed. */
static int attest_run_apart(const struct attest_test *test)
{
    int status = 0;
    int child;
    attest_fflush(NULL);
    child = attest_fork_at_once ? attest_fork_at_once() : attest_fork();
    if (child < 0) {
        attest_printf("test %d FAILED: no process for it\n", test->id);
        return 0;
    }
    if (child == 0) {
        attest_is_apart = 1;
        attest_alarm(10);
        attest_run(test);
    }
    while (attest_waitpid(child, &status, 0) < 0)
        ;
    if (!attest_ended_well(test, status)) {
        attest_printf("test %d FAILED\n", test->id);
        return 0;
    }
    attest_printf("test %d passed\n", test->id);
    return 1;
}

/* No argument: all tests. `--test N`: that one, in this process, for a debugger. `--list`: their
   numbers. `--part N M`: those whose numbers are from N to M. */
@MAIN@
{
    int count = (int)(sizeof attest_tests / sizeof *attest_tests);
    int failed = 0;
    int ran = 0;
    int i;
@STACK@
    if (argc == 3 && attest_strcmp(argv[1], "--test") == 0) {
        for (i = 0; i < count; i++)
            if (attest_tests[i].id == attest_atoi(argv[2]))
                attest_run(&attest_tests[i]);
        attest_printf("there is no test %s\n", argv[2]);
        return 2;
    }
    if (argc == 2 && attest_strcmp(argv[1], "--list") == 0) {
        for (i = 0; i < count; i++)
            attest_printf("%d\n", attest_tests[i].id);
        return 0;
    }
    for (i = 0; i < count; i++) {
        int is_part = argc == 4 && attest_strcmp(argv[1], "--part") == 0;
        if (is_part && (attest_tests[i].id < attest_atoi(argv[2]) ||
                        attest_tests[i].id > attest_atoi(argv[3])))
            continue;
        failed += !attest_run_apart(&attest_tests[i]);
        ran++;
    }
    attest_printf("%d tests: %d passed, %d failed\n", ran, ran - failed, failed);
    return failed != 0;
}
