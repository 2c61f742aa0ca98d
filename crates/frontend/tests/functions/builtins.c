int builtins(int a, int b, unsigned long n, void *to, const void *from)
{
    int sum;
    if (__builtin_expect(__builtin_add_overflow(a, b, &sum), 0))
        __builtin_unreachable();
    __builtin_memcpy(to, from, n);
    return sum + __builtin_clzl(n);
}
void *memcpy(void *to, const void *from, unsigned long n) { return to; }
