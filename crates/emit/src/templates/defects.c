/* ---- The runner: every test in a process of its own; it passes when its defect shows. ---- */

/* What shows a defect: one of the texts on standard error, or one of the signals. */
struct attest@report {
    const char *kind;
    int memory_sanitizer; /* whether only that one notices */
    int signals[4]; /* up to a 0 */
    int seconds;
    const char *texts[8]; /* up to a NULL */
};

static const struct attest@report attest@reports[] = {
@REPORTS@
};

struct attest@test {
    int id;
    void (*run)(void);
    int report;
    int is_shown; /* 0 if no sanitizer was seen to show the defect of this test, 2 if clang's alone may */
};

static const struct attest@test attest@tests[] = {
@TESTS@
};

extern int attest@pipe(int ends[2]) ATTEST@LIBC("pipe");
extern int attest@dup2(int from, int to) ATTEST@LIBC("dup2");
extern int attest@close(int file) ATTEST@LIBC("close");
extern long attest@read(int file, void *to, attest@size count) ATTEST@LIBC("read");
extern char *attest@strstr(const char *in, const char *text) ATTEST@LIBC("strstr");
extern void __lsan_do_leak_check(void) __attribute__((__weak__));

#if defined(__has_feature)
#if __has_feature(memory_sanitizer)
#define ATTEST@MEMORY_SANITIZER 1
#endif
#endif
#ifndef ATTEST@MEMORY_SANITIZER
#define ATTEST@MEMORY_SANITIZER 0
#endif

const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
    return "detect_stack_use_after_return=1:detect_leaks=1:allocator_may_return_null=1";
}

/* gcc turns arithmetic in an index into arithmetic of addresses, where it looks for no overflow, does not look at
   addresses that nothing is accessed through, and copies a few bytes in place. */
#if defined(__clang__)
#define ATTEST@SHOWS_ALL 1
#else
#define ATTEST@SHOWS_ALL 0
#endif

static const struct attest@test *attest@running;

static void attest@finish(void)
{
    if (!ATTEST@RUNS_AT_EXIT && __lsan_do_leak_check)
        __lsan_do_leak_check();
    attest@printf("test %d returns, and nothing is reported\n", attest@running->id);
    attest@fflush(NULL);
    if (ATTEST@RUNS_AT_EXIT)
        attest@exit(0);
    attest@leave(0);
}

/* Runs a test in this process, which ends with it or with its defect. */
static void attest@run(const struct attest@test *test)
{
    attest@running = test;
    *attest@errno() = 0;
    test->run();
    attest@finish();
}

/* Runs a test in a process of its own and keeps what it writes to standard error. */
static int attest@status_of(const struct attest@test *test, char *text, attest@size size)
{
    attest@size used = 0;
    long count;
    int ends[2];
    int status = 0;
    int child;
    char rest[512];
    attest@fflush(NULL);
    if (attest@pipe(ends) != 0)
        return -1;
    child = attest@fork();
    if (child < 0)
        return -1;
    if (child == 0) {
        attest@close(ends[0]);
        attest@dup2(ends[1], 2);
        attest@close(ends[1]);
        attest@alarm((unsigned)attest@reports[test->report].seconds);
        attest@run(test);
    }
    attest@close(ends[1]);
    while ((count = attest@read(ends[0], rest, sizeof rest)) > 0) {
        attest@size kept = (attest@size)count < size - 1 - used ? (attest@size)count : size - 1 - used;
        attest@memcpy(text + used, rest, kept);
        used += kept;
    }
    text[used] = '\0';
    attest@close(ends[0]);
    while (attest@waitpid(child, &status, 0) < 0)
        ;
    return status;
}

/* Checks one test: 1 if its defect shows or cannot show here, 0 if it should and does not. */
static int attest@shows(const struct attest@test *test)
{
    static char text[1 << 16];
    const struct attest@report *report = &attest@reports[test->report];
    int status;
    int i;
    if (report->texts[0] == NULL && report->signals[0] == 0) {
        attest@printf("test %d not reproducible natively: %s\n", test->id, report->kind);
        return 1;
    }
    if (report->memory_sanitizer != ATTEST@MEMORY_SANITIZER) {
        attest@printf("test %d needs another sanitizer: %s\n", test->id, report->kind);
        return 1;
    }
    status = attest@status_of(test, text, sizeof text);
    for (i = 0; report->texts[i] != NULL; i++) {
        if (attest@strstr(text, report->texts[i]) != NULL) {
            attest@printf("test %d passed: %s\n", test->id, report->kind);
            return 1;
        }
    }
    for (i = 0; report->signals[i] != 0; i++) {
        if ((status & 0x7f) == report->signals[i]) {
            attest@printf("test %d passed: %s\n", test->id, report->kind);
            return 1;
        }
    }
    if (!test->is_shown || (!ATTEST@SHOWS_ALL && test->is_shown == 2)) {
        attest@printf("test %d not shown by a sanitizer: %s\n", test->id, report->kind);
        return 1;
    }
    attest@printf("%s\ntest %d FAILED: no sign of %s\n", text, test->id, report->kind);
    return 0;
}

/* Runs the tests from one number to another, each in its own process, for coverage alone. */
static void attest@run_part(int first, int last)
{
    int count = (int)(sizeof attest@tests / sizeof *attest@tests);
    char text[512];
    int i;
    for (i = 0; i < count; i++) {
        const struct attest@test *test = &attest@tests[i];
        if (test->id < first || test->id > last)
            continue;
        attest@status_of(test, text, sizeof text);
        attest@printf("test %d ran\n", test->id);
    }
}

/* No argument: all tests. `--test N`: that one, in this process, for a debugger. `--check N`: that
   one, apart. `--list`: their numbers. `--part N M`: those from N to M, for what they reach. */
@MAIN@
{
    int count = (int)(sizeof attest@tests / sizeof *attest@tests);
    int failed = 0;
    int i;
    attest@raise_stack();
    if (argc == 3) {
        for (i = 0; i < count; i++) {
            if (attest@tests[i].id != attest@atoi(argv[2]))
                continue;
            if (attest@strcmp(argv[1], "--check") == 0)
                attest@end(!attest@shows(&attest@tests[i]));
            attest@run(&attest@tests[i]);
        }
        attest@printf("there is no test %s\n", argv[2]);
        attest@end(2);
    }
    if (argc == 2 && attest@strcmp(argv[1], "--list") == 0) {
        for (i = 0; i < count; i++)
            attest@printf("%d\n", attest@tests[i].id);
        attest@end(0);
    }
    if (argc == 4 && attest@strcmp(argv[1], "--part") == 0) {
        attest@run_part(attest@atoi(argv[2]), attest@atoi(argv[3]));
        attest@end(0);
    }
    for (i = 0; i < count; i++)
        failed += !attest@shows(&attest@tests[i]);
    attest@printf("%d tests of defects: %d failed\n", count, failed);
    attest@end(failed != 0);
}
