/* ---- What the tests use. Library functions go by names of their own, so that nothing that the
   unit defines, declares or renames can come between; nor does a header, which may contradict it.
   The tests are C99, whatever the unit is, and functions that only return what a test says use
   none of their parameters. ---- */

#pragma GCC diagnostic ignored "-Wpedantic"
#pragma GCC diagnostic ignored "-Wlong-long"
#pragma GCC diagnostic ignored "-Wdeclaration-after-statement"
#pragma GCC diagnostic ignored "-Wunused-parameter"
#if defined(__clang__)
/* Nobody asks how often the tests' own code runs. */
#pragma clang attribute push(__attribute__((no_profile_instrument_function)), apply_to = function)
#endif

#undef NULL
#define NULL ((void *)0)
@LIMITS@

#define ATTEST_TEXT(text) #text
#define ATTEST_PREFIX(prefix) ATTEST_TEXT(prefix)
#define ATTEST_LIBC(name) __asm__(ATTEST_PREFIX(__USER_LABEL_PREFIX__) #name)

typedef __SIZE_TYPE__ attest_size;

/* Whether the unit gives functions to atexit. */
enum { ATTEST_RUNS_AT_EXIT = @AT_EXIT@ };

extern int attest_printf(const char *format, ...) ATTEST_LIBC(printf);
extern int attest_fflush(void *stream) ATTEST_LIBC(fflush);
extern int attest_strcmp(const char *left, const char *right) ATTEST_LIBC(strcmp);
extern int attest_memcmp(const void *left, const void *right, attest_size count) ATTEST_LIBC(memcmp);
extern void *attest_memcpy(void *to, const void *from, attest_size count) ATTEST_LIBC(memcpy);
extern void *attest_malloc(attest_size size) ATTEST_LIBC(malloc);
extern void *attest_memset(void *to, int byte, attest_size count) ATTEST_LIBC(memset);
extern int attest_atoi(const char *text) ATTEST_LIBC(atoi);
extern void *attest_tmpfile(void) ATTEST_LIBC(tmpfile);
extern void *attest_fopen(const char *path, const char *mode) ATTEST_LIBC(fopen);
extern void *attest_opendir(const char *path) ATTEST_LIBC(opendir);
extern void attest_setbuf(void *stream, char *buffer) ATTEST_LIBC(setbuf);
extern int *attest_errno(void) ATTEST_LIBC(__errno_location);
extern int attest_atexit(void (*handler)(void)) ATTEST_LIBC(atexit);
extern void attest_abort(void) ATTEST_LIBC(abort) __attribute__((__noreturn__));
extern void attest_exit(int status) ATTEST_LIBC(exit) __attribute__((__noreturn__));
extern void attest_leave(int status) ATTEST_LIBC(_exit) __attribute__((__noreturn__));
extern void *attest_mmap(void *at, attest_size size, int protection, int flags, int file, long offset)
    ATTEST_LIBC(mmap);
/* Not fork, whose handlers cost sanitizers more than most tests do, where the C library has it. */
extern int attest_fork_at_once(void) ATTEST_LIBC(_Fork) __attribute__((__weak__));
extern int attest_fork(void) ATTEST_LIBC(fork);
extern int attest_waitpid(int child, int *status, int options) ATTEST_LIBC(waitpid);
extern unsigned attest_alarm(unsigned seconds) ATTEST_LIBC(alarm);

extern int attest_getrlimit(int resource, unsigned long limits[2]) ATTEST_LIBC(getrlimit);
extern int attest_setrlimit(int resource, const unsigned long limits[2]) ATTEST_LIBC(setrlimit);

/* Has the stack grow to 100 MB, as far as the system allows: for objects that are passed by value. */
static void __attribute__((__unused__)) attest_raise_stack(void)
{
    unsigned long limits[2] = {0, 0};
    attest_getrlimit(3, limits);
    limits[0] = limits[1] < 100ul << 20 ? limits[1] : 100ul << 20;
    attest_setrlimit(3, limits);
}

/* Exit statuses of a test's process. */
enum { ATTEST_PASSED = 0, ATTEST_FAILED = 1, ATTEST_REJECTED = 77 };

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

/* A part of an object that C has no name for: the type at so many bytes from its start. */
#define ATTEST_AT(type, object, offset) (*(type *)((char *)(object) + (offset)))
