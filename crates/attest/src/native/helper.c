/*
 * Calls functions of the host's libraries on request, each call in a process of its own.
 *
 * Requests come on standard input and are answered on standard output, as 64-bit words of the host.
 * An object lies right in front of a page that nothing can access, so that an access behind it is
 * noticed. The table of functions follows below.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum end { RETURNED, BEHIND, THROUGH_NULL, FAILED };
enum value { BITS, POINTER, LIBRARY };
enum result { NUMBER, TEXT, BYTES };

/* Seconds that a call may take. */
enum { SECONDS = 2 };

struct function {
    uint64_t (*call)(const uint64_t *arguments);
    /* NULL if no library has it. */
    void (*address)(void);
};

/* @FUNCTIONS@ */

struct word_value {
    uint64_t kind, value, offset;
};

struct pointer {
    uint64_t at;
    struct word_value target;
};

struct object {
    uint64_t size, count;
    struct pointer *pointers;
    unsigned char *sent, *start;
};

struct request {
    uint64_t function, arguments, objects, result, size;
};

struct answer {
    uint64_t end, kind, value, offset, error;
};

static int from, to;
static uint64_t page;
/* Where memory of malloc begins, in this process and in those that make calls. */
static uint64_t heap;
/* Whether the answer to the request is on its way; shared with the process that makes the call. */
static volatile int *answered;
static struct request request;
static struct word_value *arguments;
static struct object *objects;

static void receive(void *buffer, uint64_t size)
{
    unsigned char *next = buffer;
    while (size > 0) {
        ssize_t got = read(from, next, size);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            _exit(0);
        next += got;
        size -= (uint64_t)got;
    }
}

static void deliver(const void *buffer, uint64_t size)
{
    const unsigned char *next = buffer;
    while (size > 0) {
        ssize_t put = write(to, next, size);
        if (put < 0 && errno == EINTR)
            continue;
        if (put <= 0)
            _exit(1);
        next += put;
        size -= (uint64_t)put;
    }
}

static void *room(uint64_t count, uint64_t size)
{
    void *memory = calloc(count + 1, size);
    if (memory == NULL)
        _exit(1);
    return memory;
}

static void receive_request(void)
{
    receive(&request, sizeof request);
    arguments = room(request.arguments, sizeof *arguments);
    receive(arguments, request.arguments * sizeof *arguments);
    objects = room(request.objects, sizeof *objects);
    for (uint64_t i = 0; i < request.objects; i++) {
        struct object *object = &objects[i];
        receive(&object->size, sizeof object->size);
        receive(&object->count, sizeof object->count);
        object->pointers = room(object->count, sizeof *object->pointers);
        receive(object->pointers, object->count * sizeof *object->pointers);
        object->sent = room(object->size, 1);
        receive(object->sent, object->size);
    }
}

static void forget_request(void)
{
    for (uint64_t i = 0; i < request.objects; i++) {
        free(objects[i].pointers);
        free(objects[i].sent);
    }
    free(objects);
    free(arguments);
}

static void end_without_result(enum end end, uint64_t value)
{
    struct answer answer = {.end = end, .value = value};
    alarm(0);
    *answered = 1;
    deliver(&answer, sizeof answer);
    _exit(0);
}

static void on_fault(int signal, siginfo_t *info, void *context)
{
    uint64_t address = (uintptr_t)info->si_addr;
    (void)context;
    if (address < page)
        end_without_result(THROUGH_NULL, 0);
    for (uint64_t i = 0; i < request.objects; i++) {
        uint64_t end = (uintptr_t)objects[i].start + objects[i].size;
        if (address >= end && address < end + page)
            end_without_result(BEHIND, i);
    }
    end_without_result(FAILED, (uint64_t)signal);
}

static void watch_for_faults(void)
{
    static unsigned char stack[1 << 16];
    stack_t other = {.ss_sp = stack, .ss_size = sizeof stack};
    struct sigaction action = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO | SA_ONSTACK};
    sigaltstack(&other, NULL);
    sigaction(SIGSEGV, &action, NULL);
    sigaction(SIGBUS, &action, NULL);
}

static void place(struct object *object)
{
    uint64_t inside = (object->size + page - 1) / page * page;
    unsigned char *pages =
        mmap(NULL, inside + 2 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (pages == MAP_FAILED)
        _exit(1);
    if (inside > 0 && mprotect(pages + page, inside, PROT_READ | PROT_WRITE) != 0)
        _exit(1);
    object->start = pages + page + inside - object->size;
    memcpy(object->start, object->sent, object->size);
}

static uint64_t word(const struct word_value *value)
{
    if (value->kind == BITS)
        return value->value;
    return (uintptr_t)objects[value->value].start + value->offset;
}

static void set_pointers(struct object *object)
{
    for (uint64_t i = 0; i < object->count; i++) {
        void *target = (void *)(uintptr_t)word(&object->pointers[i].target);
        memcpy(object->start + object->pointers[i].at, &target, sizeof target);
    }
}

/* Puts back what stood for pointers; whether none of them was changed. */
static int reset_pointers(struct object *object)
{
    for (uint64_t i = 0; i < object->count; i++) {
        uint64_t at = object->pointers[i].at;
        void *now, *target = (void *)(uintptr_t)word(&object->pointers[i].target);
        memcpy(&now, object->start + at, sizeof now);
        if (now != target)
            return 0;
        memcpy(object->start + at, object->sent + at, sizeof now);
    }
    return 1;
}

static void describe(uint64_t result, struct answer *answer)
{
    answer->value = result;
    if (request.result == NUMBER || result == 0)
        return;
    for (uint64_t i = 0; i < request.objects; i++) {
        uint64_t start = (uintptr_t)objects[i].start;
        if (result >= start && result <= start + objects[i].size) {
            answer->kind = POINTER;
            answer->value = i;
            answer->offset = result - start;
            return;
        }
    }
    /* What malloc returned is the caller's, and at another place each time. */
    if (result >= heap && result < (uintptr_t)sbrk(0))
        end_without_result(FAILED, 0);
    answer->kind = LIBRARY;
    answer->offset =
        request.result == TEXT ? strlen((const char *)(uintptr_t)result) + 1 : request.size;
}

static void call(void)
{
    struct answer answer = {.end = RETURNED};
    const struct function *function = &functions[request.function];
    uint64_t *words = room(request.arguments, sizeof *words), result;
    unsigned char *library = NULL;

    if (function->address == NULL)
        end_without_result(FAILED, 0);
    for (uint64_t i = 0; i < request.objects; i++)
        place(&objects[i]);
    for (uint64_t i = 0; i < request.objects; i++)
        set_pointers(&objects[i]);
    for (uint64_t i = 0; i < request.arguments; i++)
        words[i] = word(&arguments[i]);
    watch_for_faults();
    alarm(SECONDS);
    errno = 0;
    result = function->call(words);
    answer.error = (uint64_t)errno;
    alarm(0);
    describe(result, &answer);
    if (answer.kind == LIBRARY) {
        library = room(answer.offset, 1);
        memcpy(library, (const void *)(uintptr_t)result, answer.offset);
    }
    for (uint64_t i = 0; i < request.objects; i++)
        if (!reset_pointers(&objects[i]))
            end_without_result(FAILED, 0);
    *answered = 1;
    deliver(&answer, sizeof answer);
    for (uint64_t i = 0; i < request.objects; i++)
        deliver(objects[i].start, objects[i].size);
    if (library != NULL)
        deliver(library, answer.offset);
    _exit(0);
}

static void serve(void)
{
    int status = 0;
    pid_t child;

    *answered = 0;
    child = fork();
    if (child == 0)
        call();
    while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR)
        continue;
    if (!*answered) {
        struct answer answer = {.end = FAILED};
        answer.value = child > 0 && WIFSIGNALED(status) ? (uint64_t)WTERMSIG(status) : 0;
        deliver(&answer, sizeof answer);
    }
}

int main(void)
{
    int nothing = open("/dev/null", O_RDWR);
    heap = (uintptr_t)sbrk(0);
    from = dup(0);
    to = dup(1);
    if (nothing < 0 || from < 0 || to < 0)
        return 1;
    dup2(nothing, 0);
    dup2(nothing, 1);
    dup2(nothing, 2);
    page = (uint64_t)sysconf(_SC_PAGESIZE);
    answered = mmap(NULL, page, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (answered == MAP_FAILED)
        return 1;
    for (;;) {
        receive_request();
        serve();
        forget_request();
    }
}
