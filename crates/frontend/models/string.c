/*
 * Models of string.h, with strings.h and the GNU functions that come with it.
 *
 * Each string loop takes one branch per byte and question, so that a symbolic string costs no more
 * paths than its contents can tell apart. Block operations of a size known to the machine are
 * one step; those of a symbolic size go byte by byte, so that the size is explored by its loop.
 */
#include <stddef.h>

#include "attest_primitives.h"

void *malloc(size_t size);

typedef unsigned char byte;

static int overlap(const char *left, const char *right, size_t size)
{
    if (!__attest_same_object(left, right))
        return 0;
    return left < right ? (size_t)(right - left) < size : (size_t)(left - right) < size;
}

/* Reports a block of no bytes at NULL; C does not allow it, and sanitizers tell. */
static void valid(const void *block, size_t size, const char *message)
{
    if (size == 0 && block == NULL)
        __attest_null_argument(message);
}

/*
 * Reads all bytes of a block for nothing but what may be wrong with that. No object is as large as
 * a negative size, and the last byte of such a block would lie before its first.
 */
static void read_all(const void *block, size_t size)
{
    if (!__attest_is_symbolic(size))
        __attest_read(block, size);
    else if (size > __PTRDIFF_MAX__)
        __attest_read(block, __PTRDIFF_MAX__);
    else if (size != 0)
        __attest_read((const byte *)block + (size - 1), 1);
}

/* ---- blocks of memory ---- */

void *memcpy(void *restrict to, const void *restrict from, size_t size)
{
    valid(to, size, "memcpy: no bytes are copied to NULL");
    valid(from, size, "memcpy: no bytes are copied from NULL");
    if (size != 0 && overlap(to, from, size))
        __attest_overlapping("memcpy: the objects overlap", to);
    if (!__attest_is_symbolic(size)) {
        __attest_copy(to, from, size);
        return to;
    }
    byte *target = to;
    const byte *source = from;
    for (size_t i = 0; i < size; i++)
        target[i] = source[i];
    return to;
}

void *mempcpy(void *restrict to, const void *restrict from, size_t size)
{
    return (char *)memcpy(to, from, size) + size;
}

void *memmove(void *to, const void *from, size_t size)
{
    valid(to, size, "memmove: no bytes are copied to NULL");
    valid(from, size, "memmove: no bytes are copied from NULL");
    if (!__attest_is_symbolic(size)) {
        __attest_copy(to, from, size);
        return to;
    }
    byte *target = to;
    const byte *source = from;
    if (__attest_same_object(to, from) && target > source) {
        for (size_t i = size; i > 0; i--)
            target[i - 1] = source[i - 1];
    } else {
        for (size_t i = 0; i < size; i++)
            target[i] = source[i];
    }
    return to;
}

void *memset(void *to, int value, size_t size)
{
    valid(to, size, "memset: no bytes are set at NULL");
    if (!__attest_is_symbolic(size)) {
        __attest_fill(to, value, size);
        return to;
    }
    byte *target = to;
    for (size_t i = 0; i < size; i++)
        target[i] = (byte)value;
    return to;
}

void bzero(void *to, size_t size)
{
    memset(to, 0, size);
}

void explicit_bzero(void *to, size_t size)
{
    memset(to, 0, size);
}

void bcopy(const void *from, void *to, size_t size)
{
    memmove(to, from, size);
}

int memcmp(const void *left, const void *right, size_t size)
{
    const byte *l = left;
    const byte *r = right;
    valid(left, size, "memcmp: no bytes are compared at NULL");
    valid(right, size, "memcmp: no bytes are compared at NULL");
    for (size_t i = 0; i < size; i++) {
        if (l[i] != r[i]) {
            read_all(left, size);
            read_all(right, size);
            return l[i] - r[i];
        }
    }
    return 0;
}

int bcmp(const void *left, const void *right, size_t size)
{
    return memcmp(left, right, size);
}

void *memchr(const void *object, int value, size_t size)
{
    const byte *bytes = object;
    valid(object, size, "memchr: no bytes are searched at NULL");
    for (size_t i = 0; i < size; i++) {
        if (bytes[i] == (byte)value)
            return (void *)(bytes + i);
    }
    return NULL;
}

void *memrchr(const void *object, int value, size_t size)
{
    const byte *bytes = object;
    valid(object, size, "memrchr: no bytes are searched at NULL");
    read_all(object, size);
    for (size_t i = size; i > 0; i--) {
        if (bytes[i - 1] == (byte)value)
            return (void *)(bytes + i - 1);
    }
    return NULL;
}

void *rawmemchr(const void *object, int value)
{
    const byte *bytes = object;
    while (*bytes != (byte)value)
        bytes++;
    return (void *)bytes;
}

void *memccpy(void *restrict to, const void *restrict from, int last, size_t size)
{
    byte *target = to;
    const byte *source = from;
    for (size_t i = 0; i < size; i++) {
        target[i] = source[i];
        if (source[i] == (byte)last)
            return target + i + 1;
    }
    return NULL;
}

void *memmem(const void *object, size_t size, const void *wanted, size_t wanted_size)
{
    const byte *bytes = object;
    valid(object, size, "memmem: no bytes are searched at NULL");
    valid(wanted, wanted_size, "memmem: no bytes at NULL are searched");
    read_all(object, size);
    read_all(wanted, wanted_size);
    if (wanted_size > size)
        return NULL;
    for (size_t i = 0; i <= size - wanted_size; i++) {
        if (memcmp(bytes + i, wanted, wanted_size) == 0)
            return (void *)(bytes + i);
    }
    return NULL;
}

/* ---- lengths and copies of strings ---- */

size_t strlen(const char *text)
{
    size_t length = 0;
    while (text[length] != '\0')
        length++;
    return length;
}

size_t strnlen(const char *text, size_t size)
{
    size_t length = 0;
    valid(text, size, "strnlen is given NULL");
    while (length < size && text[length] != '\0')
        length++;
    return length;
}

/* Reports a string that is copied into memory that overlaps it. */
static void apart(const char *to, size_t kept, const char *from, const char *message)
{
    if (!__attest_same_object(to, from))
        return;
    size_t size = strlen(from) + 1;
    if (to <= from ? (size_t)(from - to) < kept + size : (size_t)(to - from) < size)
        __attest_overlapping(message, to);
}

char *stpcpy(char *restrict to, const char *restrict from)
{
    apart(to, 0, from, "stpcpy: the strings overlap");
    while ((*to = *from) != '\0') {
        to++;
        from++;
    }
    return to;
}

char *strcpy(char *restrict to, const char *restrict from)
{
    apart(to, 0, from, "strcpy: the strings overlap");
    stpcpy(to, from);
    return to;
}

char *stpncpy(char *restrict to, const char *restrict from, size_t size)
{
    size_t length = 0;
    valid(to, size, "strncpy is given NULL");
    valid(from, size, "strncpy is given NULL");
    if (__attest_same_object(to, from)) {
        size_t used = strnlen(from, size);
        if (size != 0 && overlap(to, from, used < size ? used + 1 : size))
            __attest_overlapping("strncpy: the strings overlap", to);
    }
    while (length < size && from[length] != '\0') {
        to[length] = from[length];
        length++;
    }
    for (size_t i = length; i < size; i++)
        to[i] = '\0';
    return to + length;
}

char *strncpy(char *restrict to, const char *restrict from, size_t size)
{
    stpncpy(to, from, size);
    return to;
}

char *strcat(char *restrict to, const char *restrict from)
{
    size_t length = strlen(to);
    apart(to, length, from, "strcat: the strings overlap");
    stpcpy(to + length, from);
    return to;
}

char *strncat(char *restrict to, const char *restrict from, size_t size)
{
    char *end = to + strlen(to);
    size_t i = 0;
    valid(from, size, "strncat is given NULL");
    while (i < size && from[i] != '\0') {
        end[i] = from[i];
        i++;
    }
    end[i] = '\0';
    return to;
}

char *strdup(const char *text)
{
    size_t size = strlen(text) + 1;
    char *copy = malloc(size);
    if (copy != NULL)
        memcpy(copy, text, size);
    return copy;
}

char *strndup(const char *text, size_t limit)
{
    size_t length;
    char *copy;

    valid(text, limit, "strndup is given NULL");
    length = strnlen(text, limit);
    copy = malloc(length + 1);
    if (copy != NULL) {
        memcpy(copy, text, length);
        copy[length] = '\0';
    }
    return copy;
}

/*
 * ---- comparisons ----
 *
 * The end is looked for in the right string, which more often is a literal: no path is spent on it.
 */

int strcmp(const char *left, const char *right)
{
    const byte *l = (const byte *)left;
    const byte *r = (const byte *)right;
    while (*l == *r) {
        if (*r == '\0')
            return 0;
        l++;
        r++;
    }
    return *l - *r;
}

int strcoll(const char *left, const char *right)
{
    __attest_locale(1);
    return strcmp(left, right);
}

int strncmp(const char *left, const char *right, size_t size)
{
    const byte *l = (const byte *)left;
    const byte *r = (const byte *)right;
    valid(left, size, "strncmp is given NULL");
    valid(right, size, "strncmp is given NULL");
    for (size_t i = 0; i < size; i++) {
        if (l[i] != r[i])
            return l[i] - r[i];
        if (r[i] == '\0')
            return 0;
    }
    return 0;
}

/* Bytes above 127 have lower-case forms in other locales. */
static void compare_in_locale(byte left, byte right)
{
    __attest_locale((left | right) > 127);
}

/* The lower-case form of a byte, without a branch. */
static int folded(byte value)
{
    return value + (((unsigned)value - 'A' < 26) << 5);
}

int strcasecmp(const char *left, const char *right)
{
    const byte *l = (const byte *)left;
    const byte *r = (const byte *)right;
    compare_in_locale(*l, *r);
    while (folded(*l) == folded(*r)) {
        if (*r == '\0')
            return 0;
        l++;
        r++;
        compare_in_locale(*l, *r);
    }
    return folded(*l) - folded(*r);
}

int strncasecmp(const char *left, const char *right, size_t size)
{
    const byte *l = (const byte *)left;
    const byte *r = (const byte *)right;
    valid(left, size, "strncasecmp is given NULL");
    valid(right, size, "strncasecmp is given NULL");
    for (size_t i = 0; i < size; i++) {
        compare_in_locale(l[i], r[i]);
        if (folded(l[i]) != folded(r[i]))
            return folded(l[i]) - folded(r[i]);
        if (r[i] == '\0')
            return 0;
    }
    return 0;
}

/* ---- searches ---- */

char *strchr(const char *text, int value)
{
    while (*text != (char)value) {
        if (*text == '\0')
            return NULL;
        text++;
    }
    return (char *)text;
}

char *strchrnul(const char *text, int value)
{
    while (*text != (char)value && *text != '\0')
        text++;
    return (char *)text;
}

char *strrchr(const char *text, int value)
{
    const char *last = NULL;
    for (;; text++) {
        if (*text == (char)value)
            last = text;
        if (*text == '\0')
            return (char *)last;
    }
}

char *index(const char *text, int value)
{
    return strchr(text, value);
}

char *rindex(const char *text, int value)
{
    return strrchr(text, value);
}

static int starts_with(const char *text, const char *prefix)
{
    while (*prefix != '\0') {
        if (*text != *prefix)
            return 0;
        text++;
        prefix++;
    }
    return 1;
}

char *strstr(const char *text, const char *wanted)
{
    for (;; text++) {
        if (starts_with(text, wanted))
            return (char *)text;
        if (*text == '\0')
            return NULL;
    }
}

static int starts_with_folded(const char *text, const char *prefix)
{
    while (*prefix != '\0') {
        compare_in_locale((byte)*text, (byte)*prefix);
        if (folded((byte)*text) != folded((byte)*prefix))
            return 0;
        text++;
        prefix++;
    }
    return 1;
}

char *strcasestr(const char *text, const char *wanted)
{
    for (;; text++) {
        if (starts_with_folded(text, wanted))
            return (char *)text;
        if (*text == '\0')
            return NULL;
    }
}

/* Whether the byte, which is not zero, is in the set. */
static int is_in(char value, const char *set)
{
    for (; *set != '\0'; set++) {
        if (value == *set)
            return 1;
    }
    return 0;
}

size_t strspn(const char *text, const char *accepted)
{
    size_t length = 0;
    while (text[length] != '\0' && is_in(text[length], accepted))
        length++;
    return length;
}

size_t strcspn(const char *text, const char *rejected)
{
    size_t length = 0;
    while (text[length] != '\0' && !is_in(text[length], rejected))
        length++;
    return length;
}

char *strpbrk(const char *text, const char *wanted)
{
    text += strcspn(text, wanted);
    return *text == '\0' ? NULL : (char *)text;
}

/* ---- tokens ---- */

char *strtok_r(char *restrict text, const char *restrict separators, char **restrict rest)
{
    if (text == NULL)
        text = *rest;
    text += strspn(text, separators);
    if (*text == '\0') {
        *rest = text;
        return NULL;
    }
    char *end = text + strcspn(text, separators);
    if (*end != '\0') {
        *end = '\0';
        end++;
    }
    *rest = end;
    return text;
}

/* Where strtok goes on. */
static char *strtok_rest;
/* The string's address as a number. The machine takes an address that becomes a number as known to other code,
   which has it here from the next call of strtok. */
static unsigned long strtok_known;

char *strtok(char *restrict text, const char *restrict separators)
{
    /* A caller may have begun one, unless the program begins at main. */
    if (text == NULL && strtok_rest == NULL) {
        __attest_untested_model("strtok returns NULL where it has no string to go on with");
        return NULL;
    }
    if (text != NULL)
        strtok_known = (unsigned long)text;
    return strtok_r(text, separators, &strtok_rest);
}

char *__strtok_r(char *restrict text, const char *restrict separators, char **restrict rest)
{
    return strtok_r(text, separators, rest);
}

char *strsep(char **restrict rest, const char *restrict separators)
{
    char *token = *rest;
    valid(separators, 0, "strsep is given NULL");
    if (token == NULL)
        return NULL;
    char *end = token + strcspn(token, separators);
    if (*end == '\0') {
        *rest = NULL;
    } else {
        *end = '\0';
        *rest = end + 1;
    }
    return token;
}
