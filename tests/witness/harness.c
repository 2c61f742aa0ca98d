/* No call of reach_error: it is put where the goals are. */
#define ODD(x) ((x) & 1)
extern int __VERIFIER_nondet_int(void);

int main(void)
{
    unsigned u = 0, v = 1;
    while (__VERIFIER_nondet_int()) { u += 2; if (u & 1) return 1; v = u ? v + 2 : v; }
    if (u % 2 == 1 && v)
        return 2;
    if (ODD(v) ? 0 : 1)
        return 3;
again:
    u += 4; v += 2;
    if (__VERIFIER_nondet_int())
        goto again;
    if (ODD(u))
        return 4;
    return v % 2 != 1;
}
