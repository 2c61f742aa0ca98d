/* What holds of all elements cannot be said; what holds of one can. */
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int a[100];
unsigned char parts[4];

int main(void)
{
    int n = __VERIFIER_nondet_int();
    if (n < 0 || n > 100)
        return 0;
    for (int i = 0; i < n; i++)
        a[i] = 7;
    for (int i = 0; i < n; i++)
        if (a[i] != 7)
            reach_error();
    while (__VERIFIER_nondet_int())
        parts[2] += 2;
    if (parts[2] & 1)
        reach_error();
    return 0;
}
