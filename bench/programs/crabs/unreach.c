/* A goal behind nested loops over inputs that nothing reaches (the structure of figure 6 of
   "Abstraction-driven concolic testing", 2015). */
// attest: cover -f unreach --scope file

#ifndef ROUNDS
#define ROUNDS 30
#endif

int reading(void);
void negative(void);
void positive(void);

static int in_sequence(void)
{
    int count = 0;
    for (int round = 0; round < ROUNDS; round++) {
        if (reading() == count)
            count++;
    }
    return count;
}

void unreach(void)
{
    int most = 0;
    for (int left = 5; left > 0; left--) {
        int count = in_sequence();
        if (count > most)
            most = count;
    }
    if (most < 0)
        negative();
    else
        positive();
}
