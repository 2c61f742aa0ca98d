/*
 * Models of stdlib.h, and of errno.
 *
 * Numbers are read as glibc reads them in the C locale. Sorting is by merging, which is stable as
 * glibc's is, so that both give the same order; where C leaves more open than a model
 * does, the model says so. `rand` has no model: a function without a body gives an input.
 */
#include <stddef.h>

#include "attest_primitives.h"

/* From the compiler itself, since a C library for the target may not be installed. */
typedef __UINT64_TYPE__ uint64_t;
typedef __INT64_TYPE__ int64_t;
typedef __INTMAX_TYPE__ intmax_t;
typedef __UINTMAX_TYPE__ uintmax_t;
#define SIZE_MAX __SIZE_MAX__
#define PTRDIFF_MAX ((size_t)__PTRDIFF_MAX__)
#define INTMAX_MAX __INTMAX_MAX__
#define UINTMAX_MAX __UINTMAX_MAX__
#define LONG_MAX __LONG_MAX__
#define ULONG_MAX (__LONG_MAX__ * 2ul + 1)
#define LLONG_MAX __LONG_LONG_MAX__
#define ULLONG_MAX (__LONG_LONG_MAX__ * 2ull + 1)

enum { OUT_OF_MEMORY = 12, BAD_ARGUMENT = 22, OUT_OF_RANGE = 34 };

enum { PAGE = 4096 };

static int error_number;

int *__errno_location(void)
{
    return &error_number;
}

/* ---- memory ---- */

/*
 * Each call of an allocation function asks exactly once whether it fails, so that a test can count
 * the calls.
 */
static int cannot_allocate(size_t size)
{
    if (__attest_allocation_fails() || size > PTRDIFF_MAX) {
        error_number = OUT_OF_MEMORY;
        if (size == 0)
            __attest_narrow_error_number();
        return 1;
    }
    return 0;
}

/* The product, or a size that nothing has where it does not fit. */
static size_t product(size_t count, size_t size)
{
    return size != 0 && count > SIZE_MAX / size ? SIZE_MAX : count * size;
}

void *malloc(size_t size)
{
    return cannot_allocate(size) ? NULL : __attest_allocate(size);
}

void *calloc(size_t count, size_t size)
{
    size_t bytes = product(count, size);
    return cannot_allocate(bytes) ? NULL : __attest_allocate_zeroed(bytes);
}

void free(void *object)
{
    __attest_free(object);
}

void *realloc(void *object, size_t size)
{
    if (object == NULL)
        return malloc(size);
    if (size == 0) {
        __attest_narrow_model("realloc to no bytes frees the object and returns NULL");
        __attest_allocation_fails(); /* asked, but to free cannot fail */
        free(object);
        return NULL;
    }
    size_t old = __attest_allocated_size(object);
    if (cannot_allocate(size))
        return NULL;
    void *moved = __attest_allocate(size);
    __attest_copy(moved, object, old < size ? old : size);
    free(object);
    return moved;
}

void *reallocarray(void *object, size_t count, size_t size)
{
    return realloc(object, product(count, size));
}

void *aligned_alloc(size_t alignment, size_t size)
{
    if (cannot_allocate(size))
        return NULL;
    if (alignment == 0 || (alignment & (alignment - 1)) != 0) {
        __attest_untested_model("aligned_alloc fails where the alignment is none");
        error_number = BAD_ARGUMENT;
        return NULL;
    }
    return __attest_allocate_aligned(size, alignment);
}

/* Other than aligned_alloc, it takes the next power of two for what is none. */
void *memalign(size_t alignment, size_t size)
{
    if (alignment == 0)
        __attest_invalid_argument("memalign: the alignment is 0");
    size_t power = 1;
    while (power < alignment && power <= SIZE_MAX / 2)
        power *= 2;
    if (power != alignment)
        __attest_narrow_model("memalign takes the next power of two");
    return aligned_alloc(power, size);
}

void *valloc(size_t size)
{
    return cannot_allocate(size) ? NULL : __attest_allocate_aligned(size, PAGE);
}

/* ---- arithmetic ---- */

/* The negative value is taken first, so that whether it fits is asked on all paths: it does not for the
   least number alone. */
int abs(int x)
{
    int negative = -x;
    return x < 0 ? negative : x;
}

long labs(long x)
{
    long negative = -x;
    return x < 0 ? negative : x;
}

long long llabs(long long x)
{
    long long negative = -x;
    return x < 0 ? negative : x;
}

intmax_t imaxabs(intmax_t x)
{
    intmax_t negative = -x;
    return x < 0 ? negative : x;
}

typedef struct {
    int quot;
    int rem;
} div_t;
typedef struct {
    long quot;
    long rem;
} ldiv_t;
typedef struct {
    long long quot;
    long long rem;
} lldiv_t;

div_t div(int dividend, int divisor)
{
    div_t result = {dividend / divisor, dividend % divisor};
    return result;
}

ldiv_t ldiv(long dividend, long divisor)
{
    ldiv_t result = {dividend / divisor, dividend % divisor};
    return result;
}

lldiv_t lldiv(long long dividend, long long divisor)
{
    lldiv_t result = {dividend / divisor, dividend % divisor};
    return result;
}

/* ---- numbers from text ---- */

/* What was read of a number: its magnitude, and how it stands in the text. */
struct number {
    uint64_t magnitude;
    int negative;
    int too_large;   /* the magnitude does not fit the limit */
    const char *end; /* one past its last character; NULL if there is no number */
};

static int is_space(char c)
{
    return (c == ' ') | ((unsigned)c - '\t' < 5);
}

/* Whether the character is a digit of the base; stores its value. */
static int is_digit(char c, int base, unsigned *value)
{
    unsigned decimal = (unsigned)c - '0';
    unsigned letter = ((unsigned)c | 0x20) - 'a';
    if (decimal < (unsigned)(base < 10 ? base : 10)) {
        *value = decimal;
        return 1;
    }
    if (base > 10 && letter < (unsigned)base - 10) {
        *value = letter + 10;
        return 1;
    }
    return 0;
}

/*
 * Reads digits up to the limit. `most` is the largest value that so many digits can have: as long
 * as it stays below the limit nothing needs checking, and no path is spent on it.
 */
static struct number read_digits(const char *text, int base, uint64_t limit)
{
    struct number number = {0, 0, 0, NULL};
    unsigned radix = (unsigned)base;
    uint64_t most = 0;
    unsigned digit;
    for (; is_digit(*text, base, &digit); text++) {
        number.end = text + 1;
        if (number.too_large)
            continue;
        if (most <= (limit - (radix - 1)) / radix) {
            most = most * radix + (radix - 1);
        } else if (number.magnitude > (limit - digit) / radix) {
            number.too_large = 1;
            continue;
        } else {
            most = limit;
        }
        number.magnitude = number.magnitude * radix + digit;
    }
    return number;
}

static int has_hexadecimal_prefix(const char *text)
{
    unsigned digit;
    return text[0] == '0' && (text[1] | 0x20) == 'x' && is_digit(text[2], 16, &digit);
}

/*
 * Reads space, sign, prefix and digits. The limit for a negative number may be another one. Stores
 * the end where `end` is not NULL.
 */
static struct number read_number(const char *text, char **end, int base, uint64_t limit,
                                 uint64_t negative_limit)
{
    struct number number = {0, 0, 0, NULL};
    const char *start = text;
    if (base < 0 || base == 1 || base > 36) {
        if (text == NULL)
            __attest_null_argument("a number is read from NULL");
        __attest_narrow_model("no end of a number is stored where the base is none");
        error_number = BAD_ARGUMENT;
        return number;
    }
    while (is_space(*text))
        text++;
    int negative = 0;
    if (*text == '-') {
        negative = 1;
        text++;
    } else if (*text == '+') {
        text++;
    }
    if ((base == 0 || base == 16) && has_hexadecimal_prefix(text)) {
        text += 2;
        base = 16;
    } else if (base == 0) {
        base = *text == '0' ? 8 : 10;
    }
    number = read_digits(text, base, negative ? negative_limit : limit);
    number.negative = negative;
    if (number.too_large)
        error_number = OUT_OF_RANGE;
    if (number.end == NULL)
        __attest_narrow_error_number();
    if (end != NULL)
        *end = (char *)(number.end != NULL ? number.end : start);
    return number;
}

static int64_t read_signed(const char *text, char **end, int base, int64_t largest)
{
    uint64_t limit = (uint64_t)largest;
    struct number number = read_number(text, end, base, limit, limit + 1);
    if (number.too_large)
        return number.negative ? -largest - 1 : largest;
    return (int64_t)(number.negative ? 0 - number.magnitude : number.magnitude);
}

static uint64_t read_unsigned(const char *text, char **end, int base, uint64_t largest)
{
    struct number number = read_number(text, end, base, largest, largest);
    if (number.too_large)
        return largest;
    return number.negative ? 0 - number.magnitude : number.magnitude;
}

long strtol(const char *restrict text, char **restrict end, int base)
{
    return (long)read_signed(text, end, base, LONG_MAX);
}

long long strtoll(const char *restrict text, char **restrict end, int base)
{
    return read_signed(text, end, base, LLONG_MAX);
}

unsigned long strtoul(const char *restrict text, char **restrict end, int base)
{
    return (unsigned long)read_unsigned(text, end, base, ULONG_MAX);
}

unsigned long long strtoull(const char *restrict text, char **restrict end, int base)
{
    return read_unsigned(text, end, base, ULLONG_MAX);
}

intmax_t strtoimax(const char *restrict text, char **restrict end, int base)
{
    return read_signed(text, end, base, INTMAX_MAX);
}

uintmax_t strtoumax(const char *restrict text, char **restrict end, int base)
{
    return read_unsigned(text, end, base, UINTMAX_MAX);
}

int atoi(const char *text)
{
    return (int)strtol(text, NULL, 10);
}

long atol(const char *text)
{
    return strtol(text, NULL, 10);
}

long long atoll(const char *text)
{
    return strtoll(text, NULL, 10);
}

/* ---- the names that glibc's headers give these functions under newer standards ---- */

/* Under C23, numbers of base 2 may have the prefix 0b, which no older standard knows. */
static void check_binary_prefix(const char *text, int base)
{
    if (text == NULL || (base != 0 && base != 2))
        return;
    while (is_space(*text))
        text++;
    if (*text == '-' || *text == '+')
        text++;
    if (text[0] == '0' && (text[1] | 0x20) == 'b' && (text[2] == '0' || text[2] == '1'))
        __attest_untested_model("no number has the prefix 0b");
}

long __isoc23_strtol(const char *restrict text, char **restrict end, int base)
{
    check_binary_prefix(text, base);
    return strtol(text, end, base);
}

long long __isoc23_strtoll(const char *restrict text, char **restrict end, int base)
{
    check_binary_prefix(text, base);
    return strtoll(text, end, base);
}

unsigned long __isoc23_strtoul(const char *restrict text, char **restrict end, int base)
{
    check_binary_prefix(text, base);
    return strtoul(text, end, base);
}

unsigned long long __isoc23_strtoull(const char *restrict text, char **restrict end, int base)
{
    check_binary_prefix(text, base);
    return strtoull(text, end, base);
}

/* ---- sorting and searching ---- */

typedef int comparison(const void *, const void *);

/* Sorts by merging, as glibc does: tests that count comparisons, or reach a side within one, so do the
   same there. `merged` has room for the elements. */
static void merge_sort(char *first, size_t count, size_t size, comparison *compare, char *merged)
{
    if (count < 2)
        return;
    size_t lefts = count / 2;
    size_t rights = count - lefts;
    char *left = first;
    char *right = first + lefts * size;
    merge_sort(left, lefts, size, compare, merged);
    merge_sort(right, rights, size, compare, merged);
    char *to = merged;
    while (lefts > 0 && rights > 0) {
        if (compare(left, right) <= 0) {
            __attest_copy(to, left, size);
            left += size;
            lefts--;
        } else {
            __attest_copy(to, right, size);
            right += size;
            rights--;
        }
        to += size;
    }
    if (lefts > 0)
        __attest_copy(to, left, lefts * size);
    __attest_copy(first, merged, (count - rights) * size);
}

void qsort(void *array, size_t count, size_t size, comparison *compare)
{
    if (array == NULL || compare == NULL)
        __attest_null_argument("qsort: the array or the comparison is NULL");
    if (count == 0 || size == 0)
        return;
    __attest_narrow_model("qsort compares in one order and keeps the order of equal elements");
    if (count == 1)
        return;
    /* Each count is a path of its own, and so is a count that is too large. */
    size_t elements = 0;
    for (; elements < count; elements++)
        __attest_read((char *)array + elements * size, size);
    char *merged = __attest_allocate(elements * size);
    merge_sort(array, elements, size, compare, merged);
    __attest_free(merged);
}

void *bsearch(const void *key, const void *array, size_t count, size_t size, comparison *compare)
{
    if (key == NULL || array == NULL || compare == NULL)
        __attest_null_argument("bsearch: the key, the array or the comparison is NULL");
    if (count > 0)
        __attest_narrow_model("bsearch compares in one order and finds one of equal elements");
    const char *first = array;
    size_t low = 0;
    size_t high = count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const char *element = first + middle * size;
        int order = compare(key, element);
        if (order == 0)
            return (void *)element;
        if (order < 0)
            high = middle;
        else
            low = middle + 1;
    }
    return NULL;
}
