/* A loop in a function that is called in two ways: what holds there is what holds in either. */
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

static int count(int from, int limit)
{
    int k = from;
    while (k < limit)
        k += 2;
    return k;
}

static int always(int limit)
{
    int k = 0;
    while (k < limit)
        k += 4;
    return k;
}

int main(void)
{
    int limit = __VERIFIER_nondet_int();
    if (limit < 0 || limit > 1000)
        return 0;
    if (count(0, limit) & 1)
        reach_error();
    if (!(count(1, limit) & 1))
        reach_error();
    if (always(limit) & 3)
        reach_error();
    if (always(limit + 1) & 3)
        reach_error();
    return 0;
}
