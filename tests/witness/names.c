/* Names that mean other objects elsewhere: only what is visible at a loop can be said there. */
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

unsigned x;
static unsigned total;

static void add(void)
{
    unsigned x = 0;
    while (__VERIFIER_nondet_int()) {
        x += 2;
        total += 6;
    }
    if (x & 1)
        reach_error();
    if (total % 2)
        reach_error();
}

int main(void)
{
    enum { unseen = 1 };
    unsigned hidden = 0;
    while (__VERIFIER_nondet_int()) {
        x += 4;
        hidden += 8;
        {
            enum { hidden = 3, x = 5 };
            unsigned own = hidden;
            while (__VERIFIER_nondet_int())
                own += x + unseen;
            if (own % 2 != 1)
                reach_error();
        }
        if (x % 4)
            reach_error();
        if (hidden % 8)
            reach_error();
    }
    add();
    return 0;
}
