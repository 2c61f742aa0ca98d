/* ---- The runner: every test in a process of its own, so that each starts fresh. ---- */

/* How a test's process is expected to end, where it is not by exiting with a known status. */
enum { ATTEST@RETURNS = -1, ATTEST@EXITS = -2, ATTEST@ENDS = -3 };

struct attest@test {
    int id;
    void (*run)(void);
    int end; /* an exit status, or one of the above */
};

static const struct attest@test attest@tests[] = {
@TESTS@
};

const char *__asan_default_options(void);
/* Under sanitizers an allocation fails as it does without them, and leaks are no matter. */
const char *__asan_default_options(void)
{
    return "detect_leaks=0:allocator_may_return_null=1";
}

static int attest@done;
static int attest@is_apart;
static const struct attest@test *attest@running;

/* Notices when the unit exits although it should return. */
static void attest@at_exit(void)
{
    if (!attest@done && attest@running->end == ATTEST@RETURNS) {
        attest@printf("    the unit exits, although it should return\n");
        attest@fflush(NULL);
        attest@leave(ATTEST@FAILED);
    }
}

static void attest@finish(void)
{
    const struct attest@test *test = attest@running;
    int exits = test->end >= 0 || test->end == ATTEST@EXITS;
    attest@done = 1;
    /* What runs at exit may decide the status: the test's process ends with it then. */
    if (exits && !ATTEST@RUNS_AT_EXIT)
        attest@fail("the unit returns, although it should exit", __LINE__);
    if (!attest@is_apart && !(exits && ATTEST@RUNS_AT_EXIT))
        attest@printf("test %d %s\n", test->id, attest@failures ? "FAILED" : "passed");
    attest@fflush(NULL);
    if (ATTEST@RUNS_AT_EXIT)
        attest@exit(attest@failures ? ATTEST@FAILED : ATTEST@PASSED);
    attest@leave(attest@failures ? ATTEST@FAILED : ATTEST@PASSED);
}

/* Runs a test in this process, which ends with it. */
static void attest@run(const struct attest@test *test)
{
    attest@running = test;
    attest@atexit(attest@at_exit);
    *attest@errno() = 0;
    test->run();
    attest@finish();
}

/* Whether a process ended as its test expects; the low seven bits of a wait status are the signal
   that killed it, the next byte is the exit status. */
static int attest@ended_well(const struct attest@test *test, int status)
{
    int signal = status & 0x7f;
    int exit_status = status >> 8 & 0xff;
    /* Where attest could not go on, or went another way, anything may follow. */
    if (test->end == ATTEST@ENDS)
        return 1;
    if (signal != 0)
        attest@printf("    killed by signal %d\n", signal);
    else if (exit_status == ATTEST@REJECTED)
        attest@printf("    an assumption does not hold\n");
    else if (test->end >= 0 && exit_status != test->end)
        attest@printf("    exit status is %d, expected %d\n", exit_status, test->end);
    if (signal != 0)
        return 0;
    return test->end == ATTEST@EXITS || exit_status == (test->end >= 0 ? test->end : 0);
}

/* Runs a test in a process of its own; whether it passed. */
static int attest@run_apart(const struct attest@test *test)
{
    int status = 0;
    int child;
    attest@fflush(NULL);
    child = attest@fork_at_once ? attest@fork_at_once() : attest@fork();
    if (child < 0) {
        attest@printf("test %d FAILED: no process for it\n", test->id);
        return 0;
    }
    if (child == 0) {
        attest@is_apart = 1;
        attest@alarm(10);
        attest@run(test);
    }
    while (attest@waitpid(child, &status, 0) < 0)
        ;
    if (!attest@ended_well(test, status)) {
        attest@printf("test %d FAILED\n", test->id);
        return 0;
    }
    attest@printf("test %d passed\n", test->id);
    return 1;
}

/* No argument: all tests. `--test N`: that one, in this process, for a debugger. `--list`: their
   numbers. `--part N M`: those whose numbers are from N to M. */
@MAIN@
{
    int count = (int)(sizeof attest@tests / sizeof *attest@tests);
    int failed = 0;
    int ran = 0;
    int i;
    attest@raise_stack();
    if (argc == 3 && attest@strcmp(argv[1], "--test") == 0) {
        for (i = 0; i < count; i++)
            if (attest@tests[i].id == attest@atoi(argv[2]))
                attest@run(&attest@tests[i]);
        attest@printf("there is no test %s\n", argv[2]);
        attest@end(2);
    }
    if (argc == 2 && attest@strcmp(argv[1], "--list") == 0) {
        for (i = 0; i < count; i++)
            attest@printf("%d\n", attest@tests[i].id);
        attest@end(0);
    }
    for (i = 0; i < count; i++) {
        int is_part = argc == 4 && attest@strcmp(argv[1], "--part") == 0;
        if (is_part && (attest@tests[i].id < attest@atoi(argv[2]) ||
                        attest@tests[i].id > attest@atoi(argv[3])))
            continue;
        failed += !attest@run_apart(&attest@tests[i]);
        ran++;
    }
    attest@printf("%d tests: %d passed, %d failed\n", ran, ran - failed, failed);
    attest@end(failed != 0);
}
