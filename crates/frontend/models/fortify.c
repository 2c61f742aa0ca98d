/*
 * Models of the checked forms that -D_FORTIFY_SOURCE puts in place of string functions: they end
 * the program when the operation is larger than the object that the compiler saw.
 */
#include <stddef.h>

#include "attest_primitives.h"

void *memcpy(void *restrict to, const void *restrict from, size_t size);
void *mempcpy(void *restrict to, const void *restrict from, size_t size);
void *memmove(void *to, const void *from, size_t size);
void *memset(void *to, int value, size_t size);
size_t strlen(const char *text);
size_t strnlen(const char *text, size_t size);
char *strcpy(char *restrict to, const char *restrict from);
char *stpcpy(char *restrict to, const char *restrict from);
char *strncpy(char *restrict to, const char *restrict from, size_t size);
char *stpncpy(char *restrict to, const char *restrict from, size_t size);
char *strcat(char *restrict to, const char *restrict from);
char *strncat(char *restrict to, const char *restrict from, size_t size);

/* An unknown object size. */
#define UNKNOWN ((size_t)-1)

_Noreturn void __chk_fail(void)
{
    __attest_abort();
}

static void check(size_t size, size_t object_size)
{
    if (size > object_size)
        __chk_fail();
}

/* For strings: measures the source only when there is something to compare it with. */
static void check_string(const char *from, size_t used, size_t object_size)
{
    if (object_size != UNKNOWN)
        check(used + strlen(from) + 1, object_size);
}

void *__memcpy_chk(void *restrict to, const void *restrict from, size_t size, size_t object_size)
{
    check(size, object_size);
    return memcpy(to, from, size);
}

void *__mempcpy_chk(void *restrict to, const void *restrict from, size_t size, size_t object_size)
{
    check(size, object_size);
    return mempcpy(to, from, size);
}

void *__memmove_chk(void *to, const void *from, size_t size, size_t object_size)
{
    check(size, object_size);
    return memmove(to, from, size);
}

void *__memset_chk(void *to, int value, size_t size, size_t object_size)
{
    check(size, object_size);
    return memset(to, value, size);
}

char *__strcpy_chk(char *restrict to, const char *restrict from, size_t object_size)
{
    check_string(from, 0, object_size);
    return strcpy(to, from);
}

char *__stpcpy_chk(char *restrict to, const char *restrict from, size_t object_size)
{
    check_string(from, 0, object_size);
    return stpcpy(to, from);
}

char *__strncpy_chk(char *restrict to, const char *restrict from, size_t size, size_t object_size)
{
    check(size, object_size);
    return strncpy(to, from, size);
}

char *__stpncpy_chk(char *restrict to, const char *restrict from, size_t size, size_t object_size)
{
    check(size, object_size);
    return stpncpy(to, from, size);
}

char *__strcat_chk(char *restrict to, const char *restrict from, size_t object_size)
{
    if (object_size != UNKNOWN)
        check_string(from, strlen(to), object_size);
    return strcat(to, from);
}

char *__strncat_chk(char *restrict to, const char *restrict from, size_t size, size_t object_size)
{
    if (object_size != UNKNOWN)
        check(strlen(to) + strnlen(from, size) + 1, object_size);
    return strncat(to, from, size);
}
