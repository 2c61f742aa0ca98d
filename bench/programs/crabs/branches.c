/* Goals behind a counting loop that is entered by two branches, of which one cannot lead to them
   (the structure of figure 5 of "Abstraction-driven concolic testing", 2015). */
// attest: cover -f branches --scope file

#ifndef ROUNDS
#define ROUNDS 30
#endif

int reading(void);
void small(void);
void large(void);

static int in_sequence(void)
{
    int count = 0;
    for (int round = 0; round < ROUNDS; round++) {
        if (reading() == count)
            count++;
    }
    return count;
}

static void sort_out(int size)
{
    if (size < 20)
        small();
    else
        large();
}

void branches(void)
{
    int size = reading();
    int count;
    if (size > 0)
        count = in_sequence();
    else
        count = in_sequence();
    if (count == 5 && size > 10)
        sort_out(size);
}
