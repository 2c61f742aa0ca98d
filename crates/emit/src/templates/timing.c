/* ---- Timing: a call of the tested function is counted in processes of its own, each of which starts
   from the same state. ---- */

typedef unsigned long long attest_count;

enum { ATTEST_RUNS = 51 };

extern long attest_syscall(long number, ...) ATTEST_LIBC("syscall");
extern int attest_ioctl(int file, unsigned long request, ...) ATTEST_LIBC("ioctl");
extern long attest_read(int file, void *to, attest_size count) ATTEST_LIBC("read");
extern int attest_clock_gettime(int clock, long time[2]) ATTEST_LIBC("clock_gettime");
extern char attest_data_start[] __asm__("__data_start") __attribute__((__weak__));
extern char attest_data_end[] __asm__("_end") __attribute__((__weak__));

/* What is counted: instructions where the system counts them, else cycles, else nanoseconds. */
static int attest_counter = -1;
static const char *attest_unit;

/* The least count of the runs so far; in memory that the processes share. */
static attest_count *attest_least;

static void attest_open_counter(void)
{
#if defined(__x86_64__)
    enum { ATTEST_OPEN = 298 };
#elif defined(__aarch64__)
    enum { ATTEST_OPEN = 241 };
#endif
#if defined(__x86_64__) || defined(__aarch64__)
    /* perf_event_open: type 0 (hardware) and the size, event 1 (instructions), disabled, without the
       kernel and the hypervisor. */
    unsigned long long attributes[14] = {112ull << 32, 1, 0, 0, 0, 1 | 1 << 5 | 1 << 6};
    attest_counter = (int)attest_syscall(ATTEST_OPEN, attributes, 0, -1, -1, 0l);
#endif
    attest_unit = "instructions";
    if (attest_counter < 0) {
#if defined(__x86_64__)
        attest_unit = "cycles";
#else
        attest_unit = "nanoseconds";
#endif
    }
}

static __attribute__((__noinline__)) attest_count attest_now(void)
{
    attest_count now = 0;
    if (attest_counter >= 0) {
        if (attest_read(attest_counter, &now, sizeof now) != sizeof now)
            attest_abort();
        return now;
    }
#if defined(__x86_64__)
    __builtin_ia32_lfence();
    now = __builtin_ia32_rdtsc();
    __builtin_ia32_lfence();
#else
    long time[2] = {0, 0};
    attest_clock_gettime(1, time);
    now = (attest_count)time[0] * 1000000000u + (attest_count)time[1];
#endif
    return now;
}

static attest_count attest_began;

static void attest_begin_count(void)
{
    if (attest_counter >= 0) {
        attest_ioctl(attest_counter, 0x2403, 0);
        attest_ioctl(attest_counter, 0x2400, 0);
    }
    attest_began = attest_now();
}

static attest_count attest_end_count(void)
{
    attest_count now = attest_now();
    return now > attest_began ? now - attest_began : 0;
}

/* Reads and writes each page of the stack and of the data, which the process that forked shares until
   then. */
static __attribute__((__noinline__)) void attest_touch(void)
{
    volatile char stack[1 << 16];
    volatile char *at;
    unsigned i;
    for (i = 0; i < sizeof stack; i += 4096)
        stack[i] = 0;
    if (attest_data_start == NULL || attest_data_end == NULL)
        return;
    for (at = attest_data_start; at < attest_data_end; at += 4096)
        *at = *at;
}

struct attest_timing {
    int is_on;
};

/* What counting nothing counts. */
static attest_count attest_overhead(void)
{
    attest_count least = ~(attest_count)0;
    int i;
    for (i = 0; i < ATTEST_RUNS; i++) {
        attest_count count;
        attest_begin_count();
        count = attest_end_count();
        least = count < least ? count : least;
    }
    return least;
}

/* Comes back in processes that are to make the call; the test itself ends when they are done. */
static struct attest_timing attest_timing_begin(void)
{
    struct attest_timing timing = {1};
    attest_count overhead, least;
    int i, status;
    /* To read and write; shared, anonymous. */
    attest_least = (attest_count *)attest_mmap(NULL, 4096, 1 | 2, 0x01 | 0x20, -1, 0);
    *attest_least = ~(attest_count)0;
    for (i = 0; i < ATTEST_RUNS; i++) {
        int child = attest_fork();
        if (child == 0) {
            attest_alarm(10);
            attest_touch();
            attest_open_counter();
            attest_begin_count();
            return timing;
        }
        while (child > 0 && attest_waitpid(child, &status, 0) < 0)
            ;
    }
    attest_open_counter();
    overhead = attest_overhead();
    least = *attest_least;
    if (least != ~(attest_count)0)
        attest_printf("\nattest-timed %s %llu\n", attest_unit, least > overhead ? least - overhead : 0);
    attest_fflush(NULL);
    attest_leave(0);
    return timing;
}

static void attest_timing_end(struct attest_timing *timing)
{
    attest_count count = attest_end_count();
    if (timing->is_on && count < *attest_least)
        *attest_least = count;
    attest_leave(0);
}

/* A call that is counted. The compiler does not know which function it is of. */
#define ATTEST_TIMED(function, ...)                                                          \
    __extension__({                                                                          \
        __typeof__(&function) volatile attest_function = &function;                          \
        struct attest_timing attest_timing __attribute__((__cleanup__(attest_timing_end))) = \
            attest_timing_begin();                                                           \
        attest_function(__VA_ARGS__);                                                        \
    })

