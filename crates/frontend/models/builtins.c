/*
 * Models of compiler builtins that stay calls in clang's tree and are no library function.
 *
 * C gives no way to define a function with a builtin's name, so `__builtin_NAME` is modelled
 * by `__attest_model_NAME`:
 *
 *   __builtin_clz, clzl, clzll              leading zero bits
 *   __builtin_ctz, ctzl, ctzll              trailing zero bits
 *   __builtin_ffs, ffsl, ffsll              1 + index of the lowest set bit, 0 for 0
 *   __builtin_popcount, popcountl, popcountll
 *   __builtin_parity, parityl, parityll
 *   __builtin_clrsb, clrsbl, clrsbll        redundant sign bits
 *   __builtin_bswap16, bswap32, bswap64
 *   __builtin_bitreverse8, bitreverse16, bitreverse32, bitreverse64
 *
 * None of them branches, so a symbolic argument opens no paths. ffs, ffsl and ffsll are library
 * functions too and stand here under those names as well.
 */
#include "attest_primitives.h"

typedef __UINT8_TYPE__ uint8_t;
typedef __UINT16_TYPE__ uint16_t;
typedef __UINT32_TYPE__ uint32_t;
typedef __UINT64_TYPE__ uint64_t;

#define LONG_IS_64 (sizeof(long) == 8)

static int popcount64(uint64_t x)
{
    x -= (x >> 1) & 0x5555555555555555u;
    x = (x & 0x3333333333333333u) + ((x >> 2) & 0x3333333333333333u);
    x = (x + (x >> 4)) & 0x0f0f0f0f0f0f0f0fu;
    x += x >> 8;
    x += x >> 16;
    x += x >> 32;
    return (int)(x & 0x7f);
}

static int popcount32(uint32_t x)
{
    x -= (x >> 1) & 0x55555555u;
    x = (x & 0x33333333u) + ((x >> 2) & 0x33333333u);
    x = (x + (x >> 4)) & 0x0f0f0f0fu;
    x += x >> 8;
    x += x >> 16;
    return (int)(x & 0x3f);
}

/* Leading zeros; 64 for 0. */
static int leading_zeros64(uint64_t x)
{
    x |= x >> 1;
    x |= x >> 2;
    x |= x >> 4;
    x |= x >> 8;
    x |= x >> 16;
    x |= x >> 32;
    return 64 - popcount64(x);
}

/* Leading zeros; 32 for 0. */
static int leading_zeros32(uint32_t x)
{
    x |= x >> 1;
    x |= x >> 2;
    x |= x >> 4;
    x |= x >> 8;
    x |= x >> 16;
    return 32 - popcount32(x);
}

/* Trailing zeros; 64 for 0. */
static int trailing_zeros64(uint64_t x)
{
    return popcount64(~x & (x - 1));
}

/* Trailing zeros; 32 for 0. */
static int trailing_zeros32(uint32_t x)
{
    return popcount32(~x & (x - 1));
}

int __attest_model_clz(unsigned x)
{
    if (x == 0)
        __attest_invalid_argument("__builtin_clz: the argument is 0");
    return leading_zeros32(x);
}

int __attest_model_clzll(unsigned long long x)
{
    if (x == 0)
        __attest_invalid_argument("__builtin_clzll: the argument is 0");
    return leading_zeros64(x);
}

int __attest_model_clzl(unsigned long x)
{
    return LONG_IS_64 ? __attest_model_clzll(x) : __attest_model_clz((unsigned)x);
}

int __attest_model_ctz(unsigned x)
{
    if (x == 0)
        __attest_invalid_argument("__builtin_ctz: the argument is 0");
    return trailing_zeros32(x);
}

int __attest_model_ctzll(unsigned long long x)
{
    if (x == 0)
        __attest_invalid_argument("__builtin_ctzll: the argument is 0");
    return trailing_zeros64(x);
}

int __attest_model_ctzl(unsigned long x)
{
    return LONG_IS_64 ? __attest_model_ctzll(x) : __attest_model_ctz((unsigned)x);
}

int __attest_model_ffs(int x)
{
    return (trailing_zeros32((unsigned)x) + 1) * (x != 0);
}

int __attest_model_ffsll(long long x)
{
    return (trailing_zeros64((unsigned long long)x) + 1) * (x != 0);
}

int __attest_model_ffsl(long x)
{
    return __attest_model_ffsll(x);
}

int ffs(int x)
{
    return __attest_model_ffs(x);
}

int ffsl(long x)
{
    return __attest_model_ffsl(x);
}

int ffsll(long long x)
{
    return __attest_model_ffsll(x);
}

int __attest_model_popcount(unsigned x)
{
    return popcount32(x);
}

int __attest_model_popcountll(unsigned long long x)
{
    return popcount64(x);
}

int __attest_model_popcountl(unsigned long x)
{
    return popcount64(x);
}

int __attest_model_parity(unsigned x)
{
    return popcount32(x) & 1;
}

int __attest_model_parityll(unsigned long long x)
{
    return popcount64(x) & 1;
}

int __attest_model_parityl(unsigned long x)
{
    return popcount64(x) & 1;
}

/* The bits that differ from the sign, so that redundant sign bits become leading zeros. */
int __attest_model_clrsb(int x)
{
    uint32_t bits = (uint32_t)x;
    return leading_zeros32(bits ^ (0u - (bits >> 31))) - 1;
}

int __attest_model_clrsbll(long long x)
{
    uint64_t bits = (uint64_t)x;
    return leading_zeros64(bits ^ ((uint64_t)0 - (bits >> 63))) - 1;
}

int __attest_model_clrsbl(long x)
{
    return LONG_IS_64 ? __attest_model_clrsbll(x) : __attest_model_clrsb((int)x);
}

uint16_t __attest_model_bswap16(uint16_t x)
{
    return (uint16_t)((x & 0xffu) << 8 | x >> 8);
}

uint32_t __attest_model_bswap32(uint32_t x)
{
    return x << 24 | (x & 0xff00u) << 8 | (x >> 8 & 0xff00u) | x >> 24;
}

uint64_t __attest_model_bswap64(uint64_t x)
{
    return (uint64_t)__attest_model_bswap32((uint32_t)x) << 32 |
           __attest_model_bswap32((uint32_t)(x >> 32));
}

uint8_t __attest_model_bitreverse8(uint8_t x)
{
    unsigned v = x;
    v = (v & 0x55u) << 1 | (v >> 1 & 0x55u);
    v = (v & 0x33u) << 2 | (v >> 2 & 0x33u);
    return (uint8_t)(v << 4 | v >> 4);
}

uint32_t __attest_model_bitreverse32(uint32_t x)
{
    x = (x & 0x55555555u) << 1 | (x >> 1 & 0x55555555u);
    x = (x & 0x33333333u) << 2 | (x >> 2 & 0x33333333u);
    x = (x & 0x0f0f0f0fu) << 4 | (x >> 4 & 0x0f0f0f0fu);
    return __attest_model_bswap32(x);
}

uint16_t __attest_model_bitreverse16(uint16_t x)
{
    return (uint16_t)(__attest_model_bitreverse32(x) >> 16);
}

uint64_t __attest_model_bitreverse64(uint64_t x)
{
    return (uint64_t)__attest_model_bitreverse32((uint32_t)x) << 32 |
           __attest_model_bitreverse32((uint32_t)(x >> 32));
}
