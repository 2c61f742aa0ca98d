/* Each kind of loop, a loop in a loop, and one made by goto. */
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

struct pair {
    int last;
    unsigned char low;
} g;

int main(void)
{
    int n = __VERIFIER_nondet_int();
    if (n < 0 || n > 1000)
        return 0;
    int sum = 0;
    for (int i = 0; i < n; i++) {
        sum += 2;
        g.last = i;
        if (sum > 5000)
            reach_error();
    }
    int rows = 0, cells = 0;
    while (rows < n) {
        rows++;
        for (int column = 0; column < n; column++)
            cells += 4;
        if (cells % 2 != 0)
            reach_error();
    }
    unsigned u = 0;
    do {
        u += 2;
        if (u & 1)
            reach_error();
    } while (__VERIFIER_nondet_int());
    unsigned steps = 1;
again:
    steps += 4;
    if (__VERIFIER_nondet_int())
        goto again;
    if (steps % 4 != 1)
        reach_error();
    return 0;
}
