/* The judge: runs the unit on random inputs, under a sanitizer that traps at undefined behaviour, and
   notes which outcomes its probes have in runs that end without. Included before the unit. */
#define _GNU_SOURCE
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define JUDGE_PROBES 4096
static unsigned char judge_now[JUDGE_PROBES], judge_ever[JUDGE_PROBES];
static int judge_touched[JUDGE_PROBES], judge_count;
static struct { int probe; long long label; } judge_labels[1024], judge_labels_now[256];
static int judge_label_count, judge_labels_now_count;
static uint64_t judge_state = 88172645463325252ull;
static sigjmp_buf judge_out;

static uint64_t judge_random(void)
{
    judge_state ^= judge_state << 13;
    judge_state ^= judge_state >> 7;
    judge_state ^= judge_state << 17;
    return judge_state * 2685821657736338717ull >> 16;
}

static int judge_one_in(unsigned n) { return judge_random() % n == 0; }

/* A number of interest: small, a constant of the unit or beside one, a limit, or any. */
static long long judge_any(void)
{
    switch (judge_random() % 8) {
    case 0: return (long long)(judge_random() % 4) - 1;
    case 1: return (long long)(judge_random() % 300) - 150;
    case 2: return (long long)1 << judge_random() % 63;
    case 3: return -((long long)1 << judge_random() % 63);
    case 4: return ((long long)1 << judge_random() % 63) - 1;
    case 5: return (long long)(judge_random() << 20 ^ judge_random());
    default: return (long long)(judge_random() % 12) - 2;
    }
}

/* Memory that holds anything. */
static void *judge_malloc(size_t size)
{
    unsigned char *made = judge_one_in(6) ? NULL : malloc(size);
    for (size_t at = 0; made && at + sizeof(int) <= size; at += sizeof(int)) {
        int filler = (int)judge_any();
        memcpy(made + at, &filler, sizeof filler);
    }
    return made;
}
#define malloc judge_malloc

static int judge_anew(int value) { return judge_one_in(2) ? value : (int)judge_any(); }

static int judge(int probe, int outcome)
{
    if (!judge_now[probe])
        judge_touched[judge_count++] = probe;
    judge_now[probe] |= outcome ? 1 : 2;
    return outcome;
}

static long long judge_switch(int probe, long long value, const long long *labels, int count)
{
    int found = 0;
    for (int i = 0; i < count; i++)
        found |= labels[i] == value;
    if (judge_labels_now_count < 256) {
        judge_labels_now[judge_labels_now_count].probe = probe;
        judge_labels_now[judge_labels_now_count++].label = found ? value : INT64_MIN;
    }
    return value;
}

/* The evaluations of decisions that have begun: their conditions' values so far, as digits to base 3
   from the left one on, 1 for false and 2 for true. */
#define JUDGE_CONDITIONS 7
#define JUDGE_COMBINATIONS 2187
static struct { int decision, code; } judge_open[256], judge_combined[4096];
static int judge_depth, judge_combined_count;
static unsigned char judge_combinations_now[JUDGE_PROBES][JUDGE_COMBINATIONS];
static unsigned char judge_combinations[JUDGE_PROBES][JUDGE_COMBINATIONS];

static void judge_begin(int decision)
{
    if (judge_depth < 256) {
        judge_open[judge_depth].decision = decision;
        judge_open[judge_depth].code = 0;
    }
    judge_depth++;
}

/* Whether the evaluation of a decision is under way; those inside of it are over. */
static int judge_returns_to(int decision)
{
    while (judge_depth > 256 || (judge_depth > 0 && judge_open[judge_depth - 1].decision != decision))
        judge_depth--;
    return judge_depth > 0;
}

static int judge_condition(int probe, int decision, int position, int value)
{
    judge(probe, value);
    if (position < JUDGE_CONDITIONS && judge_returns_to(decision)) {
        int digit = value ? 2 : 1;
        for (int i = 0; i < position; i++)
            digit *= 3;
        judge_open[judge_depth - 1].code += digit;
    }
    return value;
}

static int judge_decision(int probe, int outcome, int conditions)
{
    judge(probe, outcome);
    if (judge_returns_to(probe)) {
        int code = judge_open[--judge_depth].code;
        if (conditions <= JUDGE_CONDITIONS && !judge_combinations_now[probe][code]
            && judge_combined_count < 4096) {
            judge_combinations_now[probe][code] = 1;
            judge_combined[judge_combined_count].decision = probe;
            judge_combined[judge_combined_count++].code = code;
        }
    }
    return outcome;
}

static void judge_forget(void)
{
    for (int i = 0; i < judge_combined_count; i++)
        judge_combinations_now[judge_combined[i].decision][judge_combined[i].code] = 0;
    judge_depth = judge_combined_count = 0;
    for (int i = 0; i < judge_count; i++)
        judge_now[judge_touched[i]] = 0;
    judge_count = judge_labels_now_count = 0;
}

static void judge_keep(void)
{
    for (int i = 0; i < judge_combined_count; i++)
        judge_combinations[judge_combined[i].decision][judge_combined[i].code] = 1;
    for (int i = 0; i < judge_count; i++)
        judge_ever[judge_touched[i]] |= judge_now[judge_touched[i]];
    for (int i = 0; i < judge_labels_now_count; i++) {
        int known = 0;
        for (int k = 0; k < judge_label_count; k++)
            known |= judge_labels[k].probe == judge_labels_now[i].probe
                     && judge_labels[k].label == judge_labels_now[i].label;
        if (!known && judge_label_count < 1024) {
            judge_labels[judge_label_count].probe = judge_labels_now[i].probe;
            judge_labels[judge_label_count++].label = judge_labels_now[i].label;
        }
    }
    judge_forget();
}

static void judge_trapped(int number)
{
    siglongjmp(judge_out, number);
}

/* Maps the register, and listens for traps. */
static void judge_prepare(void)
{
    mmap((void *)0x40000000, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
    static char stack[1 << 16];
    stack_t other = {.ss_sp = stack, .ss_size = sizeof stack};
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = judge_trapped;
    action.sa_flags = SA_NODEFER | SA_ONSTACK;
    sigaltstack(&other, NULL);
    int signals[] = {SIGILL, SIGTRAP, SIGSEGV, SIGBUS, SIGFPE, SIGABRT};
    for (unsigned i = 0; i < sizeof signals / sizeof *signals; i++)
        sigaction(signals[i], &action, NULL);
}

/* Runs one function so many times. */
static void judge_runs(void (*run)(void), long times)
{
    for (volatile long i = 0; i < times; i++) {
        if (sigsetjmp(judge_out, 0) == 0) {
            run();
            judge_keep();
        } else {
            judge_forget();
        }
    }
}

static void judge_tell(void)
{
    for (int i = 0; i < JUDGE_PROBES; i++)
        if (judge_ever[i])
            printf("%d %d\n", i, judge_ever[i]);
    for (int i = 0; i < JUDGE_PROBES; i++)
        for (int code = 0; code < JUDGE_COMBINATIONS; code++)
            if (judge_combinations[i][code])
                printf("%d combination %d\n", i, code);
    for (int i = 0; i < judge_label_count; i++) {
        if (judge_labels[i].label == INT64_MIN)
            printf("%d default\n", judge_labels[i].probe);
        else
            printf("%d case %lld\n", judge_labels[i].probe, judge_labels[i].label);
    }
}
