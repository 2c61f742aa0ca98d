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
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"
#pragma GCC diagnostic ignored "-Warray-parameter"
#pragma GCC diagnostic ignored "-Wunused-result"
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
#pragma GCC diagnostic ignored "-Wformat-security"
#if defined(__clang__)
/* Nobody asks how often the tests' own code runs. What is defined inline already keeps what it has. */
#pragma clang diagnostic ignored "-Wignored-attributes"
/* Pointers to functions lead to definitions without the qualifiers of results, which mean nothing. */
#pragma clang diagnostic ignored "-Wincompatible-function-pointer-types"
#pragma clang attribute push(__attribute__((no_profile_instrument_function)), apply_to = function)
#endif

/* The unit may have left another visibility in force. */
#pragma GCC visibility push(default)

#undef NULL
#define NULL ((void *)0)
@LIMITS@

#define ATTEST@TEXT(text) #text
#define ATTEST@PREFIX(prefix) ATTEST@TEXT(prefix)
#define ATTEST@LIBC(name) __asm__(ATTEST@PREFIX(__USER_LABEL_PREFIX__) name)

typedef __SIZE_TYPE__ attest@size;

/* Whether the unit gives functions to atexit. */
enum { ATTEST@RUNS_AT_EXIT = @AT_EXIT@ };

/* Ends a test's process. Such functions may use what the test declares, so that each test of a unit
   that has them ends so itself. */
static void attest@finish(void);

extern int attest@printf(const char *format, ...) ATTEST@LIBC("printf");
extern int attest@fflush(void *stream) ATTEST@LIBC("fflush");
extern int attest@strcmp(const char *left, const char *right) ATTEST@LIBC("strcmp");
extern int attest@memcmp(const void *left, const void *right, attest@size count) ATTEST@LIBC("memcmp");
extern void *attest@memcpy(void *to, const void *from, attest@size count) ATTEST@LIBC("memcpy");
extern void *attest@malloc(attest@size size) ATTEST@LIBC("malloc");
extern void *attest@memset(void *to, int byte, attest@size count) ATTEST@LIBC("memset");
extern int attest@atoi(const char *text) ATTEST@LIBC("atoi");
extern void *attest@tmpfile(void) ATTEST@LIBC("tmpfile");
extern void *attest@fopen(const char *path, const char *mode) ATTEST@LIBC("fopen");
extern void *attest@opendir(const char *path) ATTEST@LIBC("opendir");
extern void attest@setbuf(void *stream, char *buffer) ATTEST@LIBC("setbuf");
extern int *attest@errno(void) ATTEST@LIBC("__errno_location");
extern int attest@atexit(void (*handler)(void)) ATTEST@LIBC("atexit");
extern void attest@abort(void) ATTEST@LIBC("abort") __attribute__((__noreturn__));
extern void attest@exit(int status) ATTEST@LIBC("exit") __attribute__((__noreturn__));
extern void attest@leave(int status) ATTEST@LIBC("_exit") __attribute__((__noreturn__));
extern void *attest@mmap(void *at, attest@size size, int protection, int flags, int file, long offset)
    ATTEST@LIBC("mmap");
/* Not fork, whose handlers cost sanitizers more than most tests do, where the C library has it. */
extern int attest@fork_at_once(void) ATTEST@LIBC("_Fork") __attribute__((__weak__));
extern int attest@fork(void) ATTEST@LIBC("fork");
extern int attest@waitpid(int child, int *status, int options) ATTEST@LIBC("waitpid");
extern unsigned attest@alarm(unsigned seconds) ATTEST@LIBC("alarm");

extern int attest@getrlimit(int resource, unsigned long limits[2]) ATTEST@LIBC("getrlimit");
extern int attest@setrlimit(int resource, const unsigned long limits[2]) ATTEST@LIBC("setrlimit");

/* Has the stack grow to 100 MB, as far as the system allows: for large objects and deep recursion. */
static void attest@raise_stack(void)
{
    unsigned long limits[2] = {0, 0};
    attest@getrlimit(3, limits);
    limits[0] = limits[1] < 100ul << 20 ? limits[1] : 100ul << 20;
    attest@setrlimit(3, limits);
}

/* Exit statuses of a test's process. */
enum { ATTEST@PASSED = 0, ATTEST@FAILED = 1, ATTEST@REJECTED = 77 };

/* Ends the runner. What the unit has run at exit is for the processes of the tests alone. */
static void __attribute__((__noreturn__)) attest@end(int status)
{
    attest@fflush(NULL);
    attest@leave(status);
}

static int attest@failures;

static void __attribute__((__unused__)) attest@fail(const char *what, int line)
{
    attest@failures++;
    attest@printf("    line %d: %s\n", line, what);
}

static void __attribute__((__unused__)) attest@check(int holds, const char *actual,
                                                 const char *expected, long long value, int line)
{
    if (!holds) {
        attest@failures++;
        attest@printf("    line %d: %s is %lld, expected %s\n", line, actual, value, expected);
    }
}

static void __attribute__((__unused__)) attest@check_that(int holds, const char *actual,
                                                      const char *expected, int line)
{
    if (!holds) {
        attest@failures++;
        attest@printf("    line %d: %s is not %s\n", line, actual, expected);
    }
}

/* Maps memory at an address that the unit knows; a test cannot run where there is something else. */
static __attribute__((__unused__)) void attest@map(unsigned long address, attest@size size)
{
    /* To read and write; private, anonymous, at that address, not instead of something else. */
    if (attest@mmap((void *)address, size, 1 | 2, 0x02 | 0x20 | 0x100000, -1, 0)
        != (void *)address) {
        attest@printf("    no memory can be mapped at %#lx\n", address);
        attest@fflush(NULL);
        attest@leave(ATTEST@REJECTED);
    }
}

/* Sets a bit-field that C cannot name; bits are counted from the least of the first byte. */
static __attribute__((__unused__)) void attest@set_bits(const volatile void *object,
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
static __attribute__((__unused__)) void *attest@on_heap(const void *contents, attest@size size)
{
    void *object = attest@malloc(size);
    if (object == NULL)
        attest@abort();
    return attest@memcpy(object, contents, size);
}

/* Zeros that the unit can free. */
static __attribute__((__unused__)) void *attest@zeroed(attest@size size)
{
    void *object = attest@malloc(size);
    if (object == NULL)
        attest@abort();
    return attest@memset(object, 0, size);
}

/* A stream of its own: an empty file, or one that takes no output. */
static __attribute__((__unused__)) void *attest@stream(int is_full)
{
    void *stream = is_full ? attest@fopen("/dev/full", "r+") : attest@tmpfile();
    if (stream == NULL)
        attest@abort();
    if (is_full)
        attest@setbuf(stream, NULL);
    return stream;
}

/* A stream of the names in a folder. */
static __attribute__((__unused__)) void *attest@folder(void)
{
    void *folder = attest@opendir("/");
    if (folder == NULL)
        attest@abort();
    return folder;
}

#undef CHECK
#define CHECK(actual, expected) \
    attest@check((actual) == (expected), #actual, #expected, (long long)(actual), __LINE__)
#undef CHECK_NULL
#define CHECK_NULL(actual) attest@check_that((actual) == NULL, #actual, "NULL", __LINE__)
#undef CHECK_NOT_NULL
#define CHECK_NOT_NULL(actual) \
    attest@check_that((actual) != NULL, #actual, "a valid pointer", __LINE__)
#undef CHECK_POINTER
#define CHECK_POINTER(actual, expected) \
    attest@check_that((const void *)(actual) == (const void *)(expected), #actual, #expected, \
                      __LINE__)
#undef SET_BYTES
#define SET_BYTES(place, text) attest@memcpy((void *)(place), text, sizeof(text) - 1)
#undef CHECK_BYTES
#define CHECK_BYTES(actual, expected) \
    attest@check_that( \
        attest@memcmp((const void *)(actual), expected, sizeof(expected) - 1) == 0, #actual, \
        #expected, __LINE__)

/* A part of an object that C has no name for: the type at so many bytes from its start, wherever that
   is. */
#define ATTEST@AT(type, object, offset) \
    (((struct {                         \
         type value;                    \
     } __attribute__((__packed__, __may_alias__)) *)((char *)(object) + (offset)))->value)
