/* attest: tests of f5(). */

#define __ATTEST__ 1
#define localtime attest_stub_localtime

#include "../../../../scratch/adv21/F/in1.c"

/* ---- What the tests use. Library functions go by names of their own, so that nothing that the
   unit defines, declares or renames can come between; nor does a header, which may contradict it.
   The tests are C99, whatever the unit is, and functions that only return what a test says use
   none of their parameters. ---- */

#pragma GCC diagnostic ignored "-Wpedantic"
#pragma GCC diagnostic ignored "-Wlong-long"
#pragma GCC diagnostic ignored "-Wdeclaration-after-statement"
#pragma GCC diagnostic ignored "-Wunused-parameter"
#pragma GCC diagnostic ignored "-Waddress-of-packed-member"
#pragma GCC diagnostic ignored "-Wmissing-braces"
#pragma GCC diagnostic ignored "-Warray-parameter"
#if defined(__clang__)
/* Nobody asks how often the tests' own code runs. What is defined inline already keeps what it has. */
#pragma clang diagnostic ignored "-Wignored-attributes"
#pragma clang attribute push(__attribute__((no_profile_instrument_function)), apply_to = function)
#endif

#undef NULL
#define NULL ((void *)0)

#define ATTEST_TEXT(text) #text
#define ATTEST_PREFIX(prefix) ATTEST_TEXT(prefix)
#define ATTEST_LIBC(name) __asm__(ATTEST_PREFIX(__USER_LABEL_PREFIX__) name)

typedef __SIZE_TYPE__ attest_size;

/* Whether the unit gives functions to atexit. */
enum { ATTEST_RUNS_AT_EXIT = 0 };

/* Ends a test's process. Such functions may use what the test declares, so that each test of a unit
   that has them ends so itself. */
static void attest_finish(void);

extern int attest_printf(const char *format, ...) ATTEST_LIBC("printf");
extern int attest_fflush(void *stream) ATTEST_LIBC("fflush");
extern int attest_strcmp(const char *left, const char *right) ATTEST_LIBC("strcmp");
extern int attest_memcmp(const void *left, const void *right, attest_size count) ATTEST_LIBC("memcmp");
extern void *attest_memcpy(void *to, const void *from, attest_size count) ATTEST_LIBC("memcpy");
extern void *attest_malloc(attest_size size) ATTEST_LIBC("malloc");
extern void *attest_memset(void *to, int byte, attest_size count) ATTEST_LIBC("memset");
extern int attest_atoi(const char *text) ATTEST_LIBC("atoi");
extern void *attest_tmpfile(void) ATTEST_LIBC("tmpfile");
extern void *attest_fopen(const char *path, const char *mode) ATTEST_LIBC("fopen");
extern void *attest_opendir(const char *path) ATTEST_LIBC("opendir");
extern void attest_setbuf(void *stream, char *buffer) ATTEST_LIBC("setbuf");
extern int *attest_errno(void) ATTEST_LIBC("__errno_location");
extern int attest_atexit(void (*handler)(void)) ATTEST_LIBC("atexit");
extern void attest_abort(void) ATTEST_LIBC("abort") __attribute__((__noreturn__));
extern void attest_exit(int status) ATTEST_LIBC("exit") __attribute__((__noreturn__));
extern void attest_leave(int status) ATTEST_LIBC("_exit") __attribute__((__noreturn__));
extern void *attest_mmap(void *at, attest_size size, int protection, int flags, int file, long offset)
    ATTEST_LIBC("mmap");
/* Not fork, whose handlers cost sanitizers more than most tests do, where the C library has it. */
extern int attest_fork_at_once(void) ATTEST_LIBC("_Fork") __attribute__((__weak__));
extern int attest_fork(void) ATTEST_LIBC("fork");
extern int attest_waitpid(int child, int *status, int options) ATTEST_LIBC("waitpid");
extern unsigned attest_alarm(unsigned seconds) ATTEST_LIBC("alarm");

extern int attest_getrlimit(int resource, unsigned long limits[2]) ATTEST_LIBC("getrlimit");
extern int attest_setrlimit(int resource, const unsigned long limits[2]) ATTEST_LIBC("setrlimit");

/* Has the stack grow to 100 MB, as far as the system allows: for large objects and deep recursion. */
static void attest_raise_stack(void)
{
    unsigned long limits[2] = {0, 0};
    attest_getrlimit(3, limits);
    limits[0] = limits[1] < 100ul << 20 ? limits[1] : 100ul << 20;
    attest_setrlimit(3, limits);
}

/* Exit statuses of a test's process. */
enum { ATTEST_PASSED = 0, ATTEST_FAILED = 1, ATTEST_REJECTED = 77 };

/* Ends the runner. What the unit has run at exit is for the processes of the tests alone. */
static void __attribute__((__noreturn__)) attest_end(int status)
{
    attest_fflush(NULL);
    attest_leave(status);
}

static int attest_failures;

static void __attribute__((__unused__)) attest_fail(const char *what, int line)
{
    attest_failures++;
    attest_printf("    line %d: %s\n", line, what);
}

static void __attribute__((__unused__)) attest_check(int holds, const char *actual,
                                                 const char *expected, long long value, int line)
{
    if (!holds) {
        attest_failures++;
        attest_printf("    line %d: %s is %lld, expected %s\n", line, actual, value, expected);
    }
}

static void __attribute__((__unused__)) attest_check_that(int holds, const char *actual,
                                                      const char *expected, int line)
{
    if (!holds) {
        attest_failures++;
        attest_printf("    line %d: %s is not %s\n", line, actual, expected);
    }
}

/* Maps memory at an address that the unit knows; a test cannot run where there is something else. */
static __attribute__((__unused__)) void attest_map(unsigned long address, attest_size size)
{
    /* To read and write; private, anonymous, at that address, not instead of something else. */
    if (attest_mmap((void *)address, size, 1 | 2, 0x02 | 0x20 | 0x100000, -1, 0)
        != (void *)address) {
        attest_printf("    no memory can be mapped at %#lx\n", address);
        attest_fflush(NULL);
        attest_leave(ATTEST_REJECTED);
    }
}

/* Sets a bit-field that C cannot name; bits are counted from the least of the first byte. */
static __attribute__((__unused__)) void attest_set_bits(const volatile void *object,
                                                    unsigned long first, unsigned width,
                                                    unsigned long long value)
{
    volatile unsigned char *bytes = (volatile unsigned char *)object;
    unsigned i;
    for (i = 0; i < width; i++, first++) {
        unsigned char bit = (unsigned char)(1u << first % 8);
        bytes[first / 8] &= (unsigned char)~bit;
        bytes[first / 8] |= value >> i & 1 ? bit : 0;
    }
}

/* A copy that the unit can free. */
static __attribute__((__unused__)) void *attest_on_heap(const void *contents, attest_size size)
{
    void *object = attest_malloc(size);
    if (object == NULL)
        attest_abort();
    return attest_memcpy(object, contents, size);
}

/* A stream of its own: an empty file, or one that takes no output. */
static __attribute__((__unused__)) void *attest_stream(int is_full)
{
    void *stream = is_full ? attest_fopen("/dev/full", "r+") : attest_tmpfile();
    if (stream == NULL)
        attest_abort();
    if (is_full)
        attest_setbuf(stream, NULL);
    return stream;
}

/* A stream of the names in a folder. */
static __attribute__((__unused__)) void *attest_folder(void)
{
    void *folder = attest_opendir("/");
    if (folder == NULL)
        attest_abort();
    return folder;
}

#undef CHECK
#define CHECK(actual, expected) \
    attest_check((actual) == (expected), #actual, #expected, (long long)(actual), __LINE__)
#undef CHECK_NULL
#define CHECK_NULL(actual) attest_check_that((actual) == NULL, #actual, "NULL", __LINE__)
#undef CHECK_NOT_NULL
#define CHECK_NOT_NULL(actual) \
    attest_check_that((actual) != NULL, #actual, "a valid pointer", __LINE__)
#undef CHECK_POINTER
#define CHECK_POINTER(actual, expected) \
    attest_check_that((const void *)(actual) == (const void *)(expected), #actual, #expected, \
                      __LINE__)
#undef SET_BYTES
#define SET_BYTES(place, text) attest_memcpy((void *)(place), text, sizeof(text) - 1)
#undef CHECK_BYTES
#define CHECK_BYTES(actual, expected) \
    attest_check_that( \
        attest_memcmp((const void *)(actual), expected, sizeof(expected) - 1) == 0, #actual, \
        #expected, __LINE__)

/* A part of an object that C has no name for: the type at so many bytes from its start, wherever that
   is. */
#define ATTEST_AT(type, object, offset) \
    (((struct {                         \
         type value;                    \
     } __attribute__((__packed__, __may_alias__)) *)((char *)(object) + (offset)))->value)

struct in_addr *xa;

/* Functions without a body return what the test says, call by call. */
#define ATTEST_RESULTS(function, array) \
    (attest_results_##function.values = (array), \
     attest_results_##function.count = sizeof(array) / sizeof *(array))

struct attest_test;
static const struct attest_test *attest_running;

/* What constructors call runs before any test: such calls return zero, and change nothing. */
static void __attribute__((__unused__)) attest_unexpected_call(const char *function)
{
    if (attest_running == NULL)
        return;
    attest_printf("    unexpected call of %s\n", function);
    attest_fflush(NULL);
    attest_leave(ATTEST_FAILED);
}

static struct {
    struct tm **values;
    struct tm *none;
    unsigned long count, next;
} attest_results_localtime;

struct tm *localtime(const long *__timer)
{
    if (attest_results_localtime.next >= attest_results_localtime.count) {
        attest_unexpected_call("localtime");
        return attest_results_localtime.none;
    }
    return attest_results_localtime.values[attest_results_localtime.next++];
}

/* ---- The tests. ---- */

/* Covers in1.c:21 true. */
static void test_f5_0(void)
{
    long t = 0;

    go = NULL;

    int result = f5(t);

    CHECK(result, 9);
}

/* Covers in1.c:21 false.
   Covers in1.c:21 false. */
static void test_f5_1(void)
{
    long t = 0;
    struct tm *localtime_results[] = {NULL};
    long go_object = 0;

    go = &go_object;

    ATTEST_RESULTS(localtime, localtime_results);

    int result = f5(t);

    CHECK(result, 0);
}

/* ---- The runner: every test in a process of its own, so that each starts fresh. ---- */

/* How a test's process is expected to end, where it is not by exiting with a known status. */
enum { ATTEST_RETURNS = -1, ATTEST_EXITS = -2, ATTEST_ENDS = -3 };

struct attest_test {
    int id;
    void (*run)(void);
    int end; /* an exit status, or one of the above */
};

static const struct attest_test attest_tests[] = {
    {0, test_f5_0, ATTEST_RETURNS},
    {1, test_f5_1, ATTEST_RETURNS},
};

const char *__asan_default_options(void);
/* Under sanitizers an allocation fails as it does without them, and leaks are no matter. */
const char *__asan_default_options(void)
{
    return "detect_leaks=0:allocator_may_return_null=1";
}

static int attest_done;
static int attest_is_apart;
static const struct attest_test *attest_running;

/* Notices when the unit exits although it should return. */
static void attest_at_exit(void)
{
    if (!attest_done && attest_running->end == ATTEST_RETURNS) {
        attest_printf("    the unit exits, although it should return\n");
        attest_fflush(NULL);
        attest_leave(ATTEST_FAILED);
    }
}

static void attest_finish(void)
{
    const struct attest_test *test = attest_running;
    int exits = test->end >= 0 || test->end == ATTEST_EXITS;
    attest_done = 1;
    /* What runs at exit may decide the status: the test's process ends with it then. */
    if (exits && !ATTEST_RUNS_AT_EXIT)
        attest_fail("the unit returns, although it should exit", __LINE__);
    if (!attest_is_apart && !(exits && ATTEST_RUNS_AT_EXIT))
        attest_printf("test %d %s\n", test->id, attest_failures ? "FAILED" : "passed");
    attest_fflush(NULL);
    if (ATTEST_RUNS_AT_EXIT)
        attest_exit(attest_failures ? ATTEST_FAILED : ATTEST_PASSED);
    attest_leave(attest_failures ? ATTEST_FAILED : ATTEST_PASSED);
}

/* Runs a test in this process, which ends with it. */
static void attest_run(const struct attest_test *test)
{
    attest_running = test;
    attest_atexit(attest_at_exit);
    *attest_errno() = 0;
    test->run();
    attest_finish();
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
int main(int argc, char **argv)
{
    int count = (int)(sizeof attest_tests / sizeof *attest_tests);
    int failed = 0;
    int ran = 0;
    int i;
    attest_raise_stack();
    if (argc == 3 && attest_strcmp(argv[1], "--test") == 0) {
        for (i = 0; i < count; i++)
            if (attest_tests[i].id == attest_atoi(argv[2]))
                attest_run(&attest_tests[i]);
        attest_printf("there is no test %s\n", argv[2]);
        attest_end(2);
    }
    if (argc == 2 && attest_strcmp(argv[1], "--list") == 0) {
        for (i = 0; i < count; i++)
            attest_printf("%d\n", attest_tests[i].id);
        attest_end(0);
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
    attest_end(failed != 0);
}

#if defined(__clang__)
#pragma clang attribute pop
#endif
