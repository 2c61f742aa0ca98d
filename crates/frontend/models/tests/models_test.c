/*
 * Compares each model with the C library's function of the same name, on random and on edge inputs.
 *
 *     clang -D_GNU_SOURCE -fno-builtin -fsanitize=undefined -w -o models_test models_test.c && ./models_test
 *
 * Prints each difference and exits with 1 if there is one.
 */
#include "models_under_test.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* ---- the primitives, natively ---- */

static int symbolic;          /* what __attest_is_symbolic answers */
static int allocations_fail;  /* what __attest_allocation_fails answers */
static int invalid_arguments; /* how many were reported */
static int overlaps;          /* how many copies between overlapping objects were */
static long live_objects;     /* allocated and not freed */
static jmp_buf aborted;       /* where __attest_abort goes */

enum { HEADER = 16 };

void *__attest_allocate(unsigned long size)
{
    char *block = malloc(HEADER + size);
    *(unsigned long *)block = size;
    live_objects++;
    return memset(block + HEADER, 0xa5, size);
}

void *__attest_allocate_zeroed(unsigned long size)
{
    return memset(__attest_allocate(size), 0, size);
}

void __attest_free(void *object)
{
    if (object == NULL)
        return;
    live_objects--;
    free((char *)object - HEADER);
}

unsigned long __attest_allocated_size(const void *object)
{
    return *(const unsigned long *)((const char *)object - HEADER);
}

/* Natively any two addresses can be compared. */
int __attest_same_object(const void *left, const void *right)
{
    return 1;
}

int __attest_allocation_fails(void)
{
    return allocations_fail;
}

int __attest_is_symbolic(unsigned long value)
{
    return symbolic;
}

void __attest_copy(void *to, const void *from, unsigned long size)
{
    memmove(to, from, size);
}

void __attest_fill(void *to, int byte, unsigned long size)
{
    memset(to, byte, size);
}

void __attest_read(const void *object, unsigned long size)
{
    const volatile char *bytes = object;
    while (size-- > 0)
        (void)bytes[size];
}

void __attest_overlapping(const char *message, const void *object)
{
    (void)message;
    (void)object;
    overlaps++;
}

void __attest_invalid_argument(const char *message)
{
    invalid_arguments++;
}

void __attest_locale(int matters)
{
    (void)matters;
}

void __attest_null_argument(const char *message)
{
    __attest_invalid_argument(message);
}

void __attest_abort(void)
{
    longjmp(aborted, 1);
}

/* ---- checks ---- */

static int failures;

static void expect(int holds, const char *what, int line, const char *text)
{
    if (!holds && failures++ < 50)
        printf("models_test.c:%d: %s (input \"%s\")\n", line, what, text);
}

#define EXPECT(condition, text) expect((condition) ? 1 : 0, #condition, __LINE__, text)
#define SAME(model, real, text) EXPECT((long long)(model) == (long long)(real), text)

static uint64_t random_state = 88172645463325252u;

static uint64_t any(void)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return random_state;
}

static unsigned below(unsigned limit)
{
    return (unsigned)((any() >> 20) % limit);
}

/* A value of a random width, so that small ones are as frequent as large ones. */
static uint64_t any_width(void)
{
    return below(20) == 0 ? 0 : any() >> below(64);
}

/* A string of up to `most` characters of the alphabet. */
static void any_string(char *to, unsigned most, const char *alphabet)
{
    unsigned length = below(most + 1);
    for (unsigned i = 0; i < length; i++)
        to[i] = alphabet[below((unsigned)strlen(alphabet))];
    to[length] = '\0';
}

static const char few[] = "abAB\xe9";

/* ---- string.h ---- */

static void test_comparisons(void)
{
    char a[16];
    char b[16];
    any_string(a, 6, few);
    any_string(b, 6, few);
    unsigned n = below(9);
    SAME(model_strcmp(a, b), strcmp(a, b), a);
    SAME(model_strcoll(a, b), strcoll(a, b), a);
    SAME(model_strncmp(a, b, n), strncmp(a, b, n), a);
    SAME(model_strcasecmp(a, b), strcasecmp(a, b), a);
    SAME(model_strncasecmp(a, b, n), strncasecmp(a, b, n), a);
    SAME(model_memcmp(a, b, n < 7 ? 1 : 0), memcmp(a, b, n < 7 ? 1 : 0), a);
    SAME(model_bcmp(a, b, 1) != 0, bcmp(a, b, 1) != 0, a);
    char c[16];
    memcpy(c, a, sizeof a);
    c[below(16)] ^= 1;
    SAME(model_memcmp(a, c, 16), memcmp(a, c, 16), a);
    SAME(model_strlen(a), strlen(a), a);
    SAME(model_strnlen(a, n), strnlen(a, n), a);
}

static void test_searches(void)
{
    char a[24];
    char b[8];
    any_string(a, 20, few);
    any_string(b, 3, few);
    int c = below(4) == 0 ? (int)any() : "abA\xe9\0z"[below(6)];
    unsigned n = below((unsigned)strlen(a) + 2);
    EXPECT(model_strchr(a, c) == strchr(a, c), a);
    EXPECT(model_index(a, c) == strchr(a, c), a);
    EXPECT(model_strrchr(a, c) == strrchr(a, c), a);
    EXPECT(model_rindex(a, c) == strrchr(a, c), a);
    EXPECT(model_strchrnul(a, c) == strchrnul(a, c), a);
    EXPECT(model_rawmemchr(a, 0) == rawmemchr(a, 0), a);
    EXPECT(model_strstr(a, b) == strstr(a, b), a);
    EXPECT(model_strcasestr(a, b) == strcasestr(a, b), a);
    EXPECT(model_strpbrk(a, b) == strpbrk(a, b), a);
    SAME(model_strspn(a, b), strspn(a, b), a);
    SAME(model_strcspn(a, b), strcspn(a, b), a);
    EXPECT(model_memchr(a, c, n) == memchr(a, c, n), a);
    EXPECT(model_memrchr(a, c, n) == memrchr(a, c, n), a);
    EXPECT(model_memmem(a, n, b, strlen(b)) == memmem(a, n, b, strlen(b)), a);
}

/* Two equal buffers: the model works on the one, the library on the other. */
static char ours[64];
static char theirs[64];

static void fresh_buffers(void)
{
    for (unsigned i = 0; i < sizeof ours; i++)
        ours[i] = theirs[i] = (char)(any() | 1);
    unsigned end = below(12);
    ours[end] = theirs[end] = '\0';
}

#define SAME_EFFECT(name, ...)                                                                     \
    do {                                                                                           \
        fresh_buffers();                                                                           \
        char *t = ours;                                                                            \
        char *model_result = (char *)model_##name(__VA_ARGS__);                                    \
        t = theirs;                                                                                \
        char *real_result = (char *)name(__VA_ARGS__);                                             \
        EXPECT(model_result == NULL ? real_result == NULL                                          \
                                    : model_result - ours == real_result - theirs,                 \
               #name);                                                                             \
        EXPECT(memcmp(ours, theirs, sizeof ours) == 0, #name);                                     \
    } while (0)

static void test_copies(void)
{
    char a[24];
    any_string(a, 20, few);
    unsigned n = below((unsigned)strlen(a) + 2);
    unsigned m = below(24);
    unsigned from = below(30);
    unsigned to = below(30);
    int c = "abA\xe9\0z"[below(6)];
    symbolic = (int)below(2);
    SAME_EFFECT(memcpy, t + 8, a, n);
    SAME_EFFECT(memcpy, t + 32, t, m);
    SAME_EFFECT(mempcpy, t, a, n);
    SAME_EFFECT(memmove, t + to, t + from, m);
    SAME_EFFECT(memset, t + to, c, m);
    SAME_EFFECT(memccpy, t, a, c, n);
    SAME_EFFECT(stpcpy, t, a);
    SAME_EFFECT(strcpy, t, a);
    SAME_EFFECT(stpncpy, t, a, m);
    SAME_EFFECT(strncpy, t, a, m);
    SAME_EFFECT(strcat, t, a);
    SAME_EFFECT(strncat, t, a, m);
    fresh_buffers();
    model_bzero(ours + to, m);
    bzero(theirs + to, m);
    model_bcopy(ours + from, ours + to, m);
    bcopy(theirs + from, theirs + to, m);
    EXPECT(memcmp(ours, theirs, sizeof ours) == 0, "bzero, bcopy");
    symbolic = 0;
}

static void test_overlap_is_reported(void)
{
    unsigned from = below(20);
    unsigned to = below(20);
    unsigned size = below(20);
    unsigned distance = from < to ? to - from : from - to;
    overlaps = 0;
    model_memcpy(ours + to, ours + from, size);
    SAME(overlaps != 0, distance < size, "memcpy");
    overlaps = 0;
}

static void test_tokens(void)
{
    char a[24];
    any_string(a, 20, "ab,; ");
    memcpy(ours, a, sizeof a);
    memcpy(theirs, a, sizeof a);
    char *text = ours;
    char *real_text = theirs;
    for (int more = 1; more;) {
        char *token = model_strtok(text, ",; ");
        char *real_token = strtok(real_text, ",; ");
        more = token != NULL && real_token != NULL;
        EXPECT(more ? token - ours == real_token - theirs : token == NULL && real_token == NULL, a);
        text = real_text = NULL;
    }
    EXPECT(memcmp(ours, theirs, sizeof a) == 0, a);
    memcpy(ours, a, sizeof a);
    memcpy(theirs, a, sizeof a);
    text = ours;
    real_text = theirs;
    while (text != NULL && real_text != NULL) {
        char *token = model_strsep(&text, ",;");
        char *real_token = strsep(&real_text, ",;");
        EXPECT(token - ours == real_token - theirs, a);
    }
    EXPECT(text == NULL && real_text == NULL && memcmp(ours, theirs, sizeof a) == 0, a);
}

static void test_duplicates(void)
{
    char a[24];
    any_string(a, 20, few);
    unsigned n = below(24);
    char *copy = model_strdup(a);
    EXPECT(strcmp(copy, a) == 0, a);
    model_free(copy);
    copy = model_strndup(a, n);
    char *real_copy = strndup(a, n);
    EXPECT(strcmp(copy, real_copy) == 0, a);
    model_free(copy);
    free(real_copy);
    allocations_fail = 1;
    EXPECT(model_strdup(a) == NULL && model_strndup(a, n) == NULL, a);
    allocations_fail = 0;
}

/* ---- ctype.h ---- */

static void test_classes(void)
{
    char text[8];
    for (int c = -128; c < 256; c++) {
        snprintf(text, sizeof text, "%d", c);
#define SAME_CLASS(name) SAME(model_##name(c), (name)(c), text)
        SAME_CLASS(isalnum);
        SAME_CLASS(isalpha);
        SAME_CLASS(isblank);
        SAME_CLASS(iscntrl);
        SAME_CLASS(isdigit);
        SAME_CLASS(isgraph);
        SAME_CLASS(islower);
        SAME_CLASS(isprint);
        SAME_CLASS(ispunct);
        SAME_CLASS(isspace);
        SAME_CLASS(isupper);
        SAME_CLASS(isxdigit);
        SAME_CLASS(isascii);
        SAME_CLASS(toascii);
        SAME_CLASS(tolower);
        SAME_CLASS(toupper);
        SAME((*model___ctype_b_loc())[c], (*__ctype_b_loc())[c], text);
        SAME((*model___ctype_tolower_loc())[c], (*__ctype_tolower_loc())[c], text);
        SAME((*model___ctype_toupper_loc())[c], (*__ctype_toupper_loc())[c], text);
    }
    EXPECT(invalid_arguments == 0, "all characters");
    model_isalpha(256);
    model_tolower(-129);
    EXPECT(invalid_arguments == 2, "no characters");
    invalid_arguments = 0;
}

/* ---- stdlib.h ---- */

#define SAME_NUMBER(name)                                                                          \
    do {                                                                                           \
        char *end = NULL;                                                                          \
        char *real_end = NULL;                                                                     \
        errno = 0;                                                                                 \
        *model___errno_location() = 0;                                                             \
        SAME(model_##name(text, &end, base), name(text, &real_end, base), text);                   \
        EXPECT(end == real_end, text);                                                             \
        SAME(*model___errno_location(), errno, text);                                              \
    } while (0)

static void test_numbers(const char *text, int base)
{
    SAME_NUMBER(strtol);
    SAME_NUMBER(strtoll);
    SAME_NUMBER(strtoul);
    SAME_NUMBER(strtoull);
    SAME_NUMBER(strtoimax);
    SAME_NUMBER(strtoumax);
    SAME(model_atoi(text), atoi(text), text);
    SAME(model_atol(text), atol(text), text);
    SAME(model_atoll(text), atoll(text), text);
}

static const char *const numbers[] = {
    "", "-", "+", "0", "-0", "0x", "0xg", "0x1f", "-0X1F", "08", "017", " \t\n\v\f\r42", "+-1", "1 2",
    "2147483647", "2147483648", "-2147483648", "-2147483649", "4294967295", "4294967296",
    "9223372036854775807", "9223372036854775808", "-9223372036854775808", "-9223372036854775809",
    "18446744073709551615", "18446744073709551616", "-18446744073709551615",
    "-18446744073709551616", "99999999999999999999999", "0xffffffffffffffff", "0x10000000000000000",
    "zz", "1z", "7fffffffffffffff", "1777777777777777777777", "2000000000000000000000", "\xb2",
};

static void test_edge_numbers(void)
{
    for (unsigned i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        for (int base = -1; base < 38; base++)
            test_numbers(numbers[i], base);
    }
}

static void test_random_numbers(void)
{
    char text[32];
    any_string(text, 24, below(2) ? "0123456789" : "0189afxXzZ-+ ");
    test_numbers(text, below(2) ? 10 : below(2) ? 0 : (int)(2 + below(35)));
}

static int by_first_byte(const void *left, const void *right)
{
    return *(const unsigned char *)left - *(const unsigned char *)right;
}

static void test_sorting(void)
{
    unsigned char a[60];
    unsigned char b[60];
    size_t size = 1 + below(5);
    size_t count = below(12);
    for (size_t i = 0; i < sizeof a; i++)
        a[i] = b[i] = (unsigned char)below(7);
    model_qsort(a, count, size, by_first_byte);
    qsort(b, count, size, by_first_byte);
    EXPECT(memcmp(a, b, sizeof a) == 0, "qsort");
    unsigned char key = (unsigned char)below(7);
    unsigned char *found = model_bsearch(&key, a, count, size, by_first_byte);
    unsigned char *real = bsearch(&key, a, count, size, by_first_byte);
    EXPECT((found != NULL) == (real != NULL), "bsearch");
    EXPECT(found == NULL || *found == key, "bsearch");
}

static void test_allocation(void)
{
    unsigned size = 1 + below(40);
    unsigned new_size = 1 + below(40);
    unsigned char *p = model_malloc(size);
    memset(p, 7, size);
    p = model_realloc(p, new_size);
    for (unsigned i = 0; i < new_size && i < size; i++)
        EXPECT(p[i] == 7, "realloc");
    SAME(__attest_allocated_size(p), new_size, "realloc");
    EXPECT(model_realloc(p, 0) == NULL, "realloc");
    p = model_calloc(size, 3);
    for (unsigned i = 0; i < size * 3; i++)
        EXPECT(p[i] == 0, "calloc");
    p = model_reallocarray(p, new_size, 2);
    SAME(__attest_allocated_size(p), new_size * 2, "reallocarray");
    model_free(p);
    p = model_aligned_alloc(8, size);
    EXPECT(p != NULL, "aligned_alloc");
    model_free(p);
    EXPECT(model_aligned_alloc(3, size) == NULL, "aligned_alloc");
    EXPECT(model_malloc(SIZE_MAX) == NULL, "malloc");
    EXPECT(model_calloc(SIZE_MAX / 2 + 1, 2) == NULL, "calloc");
    EXPECT(model_reallocarray(NULL, SIZE_MAX / 2 + 1, 2) == NULL, "reallocarray");
    allocations_fail = 1;
    *model___errno_location() = 0;
    EXPECT(model_malloc(1) == NULL && *model___errno_location() == ENOMEM, "malloc");
    allocations_fail = 0;
}

static void test_absolute_values(void)
{
    int64_t x = (int64_t)any_width();
    x = x == INT64_MIN ? 0 : x;
    int narrow = (int)x == INT_MIN ? 0 : (int)x;
    SAME(model_abs(narrow), abs(narrow), "abs");
    SAME(model_labs(x), labs(x), "labs");
    SAME(model_llabs(-x), llabs(-x), "llabs");
    SAME(model_imaxabs(-x), imaxabs(-x), "imaxabs");
}

/* ---- builtins ---- */

static void test_builtins(void)
{
    uint64_t x = any_width();
    uint32_t y = (uint32_t)(any_width() >> below(32));
    char text[24];
    snprintf(text, sizeof text, "%" PRIx64, x);
    if (x != 0) {
        SAME(__attest_model_clzll(x), __builtin_clzll(x), text);
        SAME(__attest_model_clzl(x), __builtin_clzl(x), text);
        SAME(__attest_model_ctzll(x), __builtin_ctzll(x), text);
        SAME(__attest_model_ctzl(x), __builtin_ctzl(x), text);
    }
    if (y != 0) {
        SAME(__attest_model_clz(y), __builtin_clz(y), text);
        SAME(__attest_model_ctz(y), __builtin_ctz(y), text);
    }
    SAME(__attest_model_ffs((int)y), __builtin_ffs((int)y), text);
    SAME(__attest_model_ffsl((long)x), __builtin_ffsl((long)x), text);
    SAME(__attest_model_ffsll((long long)x), __builtin_ffsll((long long)x), text);
    SAME(model_ffs((int)y), __builtin_ffs((int)y), text);
    SAME(model_ffsl((long)x), __builtin_ffsl((long)x), text);
    SAME(model_ffsll((long long)x), __builtin_ffsll((long long)x), text);
    SAME(__attest_model_popcount(y), __builtin_popcount(y), text);
    SAME(__attest_model_popcountl(x), __builtin_popcountl(x), text);
    SAME(__attest_model_popcountll(x), __builtin_popcountll(x), text);
    SAME(__attest_model_parity(y), __builtin_parity(y), text);
    SAME(__attest_model_parityl(x), __builtin_parityl(x), text);
    SAME(__attest_model_parityll(x), __builtin_parityll(x), text);
    SAME(__attest_model_clrsb((int)~y), __builtin_clrsb((int)~y), text);
    SAME(__attest_model_clrsbl((long)~x), __builtin_clrsbl((long)~x), text);
    SAME(__attest_model_clrsbll((long long)x), __builtin_clrsbll((long long)x), text);
    SAME(__attest_model_bswap16((uint16_t)x), __builtin_bswap16((uint16_t)x), text);
    SAME(__attest_model_bswap32(y), __builtin_bswap32(y), text);
    SAME(__attest_model_bswap64(x), __builtin_bswap64(x), text);
    SAME(__attest_model_bitreverse8((uint8_t)x), __builtin_bitreverse8((uint8_t)x), text);
    SAME(__attest_model_bitreverse16((uint16_t)x), __builtin_bitreverse16((uint16_t)x), text);
    SAME(__attest_model_bitreverse32(y), __builtin_bitreverse32(y), text);
    SAME(__attest_model_bitreverse64(x), __builtin_bitreverse64(x), text);
}

static void test_zero_is_reported(void)
{
    __attest_model_clz(0);
    __attest_model_clzl(0);
    __attest_model_clzll(0);
    __attest_model_ctz(0);
    __attest_model_ctzl(0);
    __attest_model_ctzll(0);
    EXPECT(invalid_arguments == 6, "0");
    invalid_arguments = 0;
}

/* ---- checked forms ---- */

#define ABORTS(call, expected)                                                                     \
    do {                                                                                           \
        volatile int did_abort = 0;                                                                \
        if (setjmp(aborted) == 0)                                                                  \
            call;                                                                                  \
        else                                                                                       \
            did_abort = 1;                                                                         \
        EXPECT(did_abort == (expected), #call);                                                    \
    } while (0)

static void test_checked_forms(void)
{
    strcpy(ours, "ab");
    ABORTS(model___memcpy_chk(ours, "abcd", 4, 4), 0);
    ABORTS(model___memcpy_chk(ours, "abcd", 5, 4), 1);
    ABORTS(model___mempcpy_chk(ours, "abcd", 5, 4), 1);
    ABORTS(model___memmove_chk(ours, "abcd", 5, 4), 1);
    ABORTS(model___memset_chk(ours, 0, 5, 4), 1);
    ABORTS(model___strcpy_chk(ours, "abc", 4), 0);
    ABORTS(model___strcpy_chk(ours, "abcd", 4), 1);
    ABORTS(model___stpcpy_chk(ours, "abcd", (size_t)-1), 0);
    ABORTS(model___strncpy_chk(ours, "a", 5, 4), 1);
    ABORTS(model___stpncpy_chk(ours, "ab", 3, 4), 0);
    ABORTS(model___strcat_chk(ours, "c", 4), 0);
    ABORTS(model___strcat_chk(ours, "d", 4), 1);
    ABORTS(model___strncat_chk(ours, "xyz", 0, 4), 0);
    ABORTS(model___strncat_chk(ours, "xyz", 1, 4), 1);
}

int main(void)
{
    test_classes();
    test_edge_numbers();
    test_zero_is_reported();
    test_checked_forms();
    for (int i = 0; i < 50000; i++) {
        test_comparisons();
        test_searches();
        test_copies();
        test_overlap_is_reported();
        test_tokens();
        test_duplicates();
        test_random_numbers();
        test_sorting();
        test_allocation();
        test_absolute_values();
        test_builtins();
    }
    EXPECT(live_objects == 0, "all freed");
    if (failures == 0)
        printf("all models agree with the C library\n");
    return failures != 0;
}
