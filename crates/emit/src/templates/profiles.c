/* Coverage by test. The counters of a program that clang instruments lie in the file of its profile,
   which the processes of its tests share. Here the runner keeps a copy of that file after each test, and
   resets the counters. Each test has a folder of its own, also where there is no profile. This declares
   what it uses, since headers may not suit the flags. */

#pragma clang attribute push(__attribute__((no_profile_instrument_function)), apply_to = function)

typedef __SIZE_TYPE__ size;

extern char *getenv(const char *name);
extern int getpid(void);
extern int open(const char *path, int flags, ...);
extern long lseek(int file, long offset, int from);
extern long read(int file, void *to, size count);
extern long write(int file, const void *from, size count);
extern int close(int file);
extern int mkdir(const char *path, unsigned mode);
extern int chdir(const char *path);
extern int snprintf(char *to, size size, const char *format, ...);
extern void *malloc(size size);
extern void abort(void);

extern int __real__Fork(void) __attribute__((weak));
extern int __real_fork(void);
extern int __real_waitpid(int child, int *status, int options);

/* To read and write; a new file to write; neither for programs that are executed. */
enum { CHANGED = 02000002, MADE = 02001101 };

static int is_begun;
static int runner;       /* its process */
static int tests;        /* how many have begun */
static int last;         /* the process of the last one */
static int profile = -1; /* the file */
static int statuses = -1;
static char *start; /* the profile as the runner begins, and behind it room for a copy */
static long length;

static int makes(const char *name)
{
    return open(name, MADE, 0600);
}

/* Before the first test, when the run-time library has made the file of the profile, if it has a name. */
static void begin(void)
{
    const char *path = getenv("ATTEST_PROFILE");
    if (is_begun || path == 0)
        return;
    is_begun = 1;
    statuses = makes("statuses");
    if (statuses < 0)
        return;
    if (*path == 0) {
        runner = getpid();
        return;
    }
    profile = open(path, CHANGED);
    length = lseek(profile, 0, 2);
    start = length > 0 ? malloc((size)length * 2) : 0;
    if (start == 0)
        return;
    lseek(profile, 0, 0);
    if (read(profile, start, (size)length) == length)
        runner = getpid();
}

/* A test's process goes to a folder of its own. */
static int begins(int child)
{
    char name[32];
    int number = tests++;
    last = child;
    if (child != 0)
        return child;
    runner = 0;
    close(profile);
    close(statuses);
    snprintf(name, sizeof name, "folder%d", number);
    mkdir(name, 0700);
    if (chdir(name) != 0)
        abort();
    return 0;
}

int __wrap_fork(void)
{
    int child;
    begin();
    child = __real_fork();
    return runner != 0 ? begins(child) : child;
}

int __wrap__Fork(void)
{
    int child;
    begin();
    child = __real__Fork ? __real__Fork() : __real_fork();
    return runner != 0 ? begins(child) : child;
}

/* Keeps the counts of a test that ended, and resets the counters. */
static void keep_profile(void)
{
    char text[32];
    int file;
    snprintf(text, sizeof text, "profile%d", tests - 1);
    file = makes(text);
    lseek(profile, 0, 0);
    if (read(profile, start + length, (size)length) == length)
        write(file, start + length, (size)length);
    close(file);
    lseek(profile, 0, 0);
    write(profile, start, (size)length);
}

/* Keeps what is to be known of a test that ended. */
static void keep(int status)
{
    char text[32];
    if (profile >= 0)
        keep_profile();
    write(statuses, text, (size)snprintf(text, sizeof text, "%d %d\n", tests - 1, status));
}

int __wrap_waitpid(int child, int *status, int options)
{
    int ended = __real_waitpid(child, status, options);
    if (runner != 0 && runner == getpid() && ended > 0 && ended == last)
        keep(*status);
    return ended;
}

#pragma clang attribute pop
