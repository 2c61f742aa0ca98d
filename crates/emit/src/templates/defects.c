/* ---- The runner: every test in a process of its own; it passes when its defect shows. ---- */

/* What shows a defect: one of the texts on standard error, or one of the signals. */
struct attest_report {
    const char *kind;
    int memory_sanitizer; /* whether only that one notices */
    int signals[4]; /* up to a 0 */
    int seconds;
    const char *texts[6];
};

static const struct attest_report attest_reports[] = {
@REPORTS@
};

struct attest_test {
    int id;
    void (*run)(void);
    int report;
    int is_shown; /* 0 if no sanitizer was seen to show the defect of this test */
};

static const struct attest_test attest_tests[] = {
@TESTS@
};

extern int attest_pipe(int ends[2]) ATTEST_LIBC(pipe);
extern int attest_dup2(int from, int to) ATTEST_LIBC(dup2);
extern int attest_close(int file) ATTEST_LIBC(close);
extern long attest_read(int file, void *to, attest_size count) ATTEST_LIBC(read);
extern char *attest_strstr(const char *in, const char *text) ATTEST_LIBC(strstr);
extern void __lsan_do_leak_check(void) __attribute__((__weak__));

#if defined(__has_feature)
#if __has_feature(memory_sanitizer)
#define ATTEST_MEMORY_SANITIZER 1
#endif
#endif
#ifndef ATTEST_MEMORY_SANITIZER
#define ATTEST_MEMORY_SANITIZER 0
#endif

const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
    return "detect_stack_use_after_return=1:detect_leaks=1:allocator_may_return_null=1";
}

/* Runs a test in this process, which ends with it or with its defect. */
static void attest_run(const struct attest_test *test)
{
    test->run();
    if (!ATTEST_RUNS_AT_EXIT && __lsan_do_leak_check)
        __lsan_do_leak_check();
    attest_printf("test %d returns, and nothing is reported\n", test->id);
    attest_fflush(NULL);
    if (ATTEST_RUNS_AT_EXIT)
        attest_exit(0);
    attest_leave(0);
}

/* Runs a test in a process of its own and keeps what it writes to standard error. */
static int attest_status_of(const struct attest_test *test, char *text, attest_size size)
{
    attest_size used = 0;
    long count;
    int ends[2];
    int status = 0;
    int child;
    char rest[512];
    attest_fflush(NULL);
    if (attest_pipe(ends) != 0)
        return -1;
    child = attest_fork();
    if (child < 0)
        return -1;
    if (child == 0) {
        attest_close(ends[0]);
        attest_dup2(ends[1], 2);
        attest_close(ends[1]);
        attest_alarm((unsigned)attest_reports[test->report].seconds);
        attest_run(test);
    }
    attest_close(ends[1]);
    while ((count = attest_read(ends[0], rest, sizeof rest)) > 0) {
        attest_size kept = (attest_size)count < size - 1 - used ? (attest_size)count : size - 1 - used;
        attest_memcpy(text + used, rest, kept);
        used += kept;
    }
    text[used] = '\0';
    attest_close(ends[0]);
    while (attest_waitpid(child, &status, 0) < 0)
        ;
    return status;
}

/* Checks one test: 1 if its defect shows or cannot show here, 0 if it should and does not. */
static int attest_shows(const struct attest_test *test)
{
    static char text[1 << 16];
    const struct attest_report *report = &attest_reports[test->report];
    int status;
    int i;
    if (report->texts[0] == NULL && report->signals[0] == 0) {
        attest_printf("test %d not reproducible natively: %s\n", test->id, report->kind);
        return 1;
    }
    if (report->memory_sanitizer != ATTEST_MEMORY_SANITIZER) {
        attest_printf("test %d needs another sanitizer: %s\n", test->id, report->kind);
        return 1;
    }
    status = attest_status_of(test, text, sizeof text);
    for (i = 0; i < 6 && report->texts[i] != NULL; i++) {
        if (attest_strstr(text, report->texts[i]) != NULL) {
            attest_printf("test %d passed: %s\n", test->id, report->kind);
            return 1;
        }
    }
    for (i = 0; report->signals[i] != 0; i++) {
        if ((status & 0x7f) == report->signals[i]) {
            attest_printf("test %d passed: %s\n", test->id, report->kind);
            return 1;
        }
    }
    if (!test->is_shown) {
        attest_printf("test %d not shown by a sanitizer: %s\n", test->id, report->kind);
        return 1;
    }
    attest_printf("%s\ntest %d FAILED: no sign of %s\n", text, test->id, report->kind);
    return 0;
}

/* No argument: all tests. `--test N`: that one, in this process, for a debugger. `--check N`: that
   one, apart. `--list`: their numbers. */
@MAIN@
{
    int count = (int)(sizeof attest_tests / sizeof *attest_tests);
    int failed = 0;
    int i;
@STACK@
    if (argc == 3) {
        for (i = 0; i < count; i++) {
            if (attest_tests[i].id != attest_atoi(argv[2]))
                continue;
            if (attest_strcmp(argv[1], "--check") == 0)
                return !attest_shows(&attest_tests[i]);
            attest_run(&attest_tests[i]);
        }
        attest_printf("there is no test %s\n", argv[2]);
        return 2;
    }
    if (argc == 2 && attest_strcmp(argv[1], "--list") == 0) {
        for (i = 0; i < count; i++)
            attest_printf("%d\n", attest_tests[i].id);
        return 0;
    }
    for (i = 0; i < count; i++)
        failed += !attest_shows(&attest_tests[i]);
    attest_printf("%d tests of defects: %d failed\n", count, failed);
    return failed != 0;
}
