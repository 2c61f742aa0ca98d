/*
 * INPUTS inputs, one after another, of which one decides, or their sum: how the cost of an execution
 * grows with them.
 *
 *     attest cover bench/programs/inputs.c -f inputs -- -DINPUTS=1000
 *     attest cover bench/programs/inputs.c -f sum -- -DINPUTS=1000
 */
#ifndef INPUTS
#define INPUTS 10
#endif

unsigned next_input(void);

unsigned inputs(void)
{
    static unsigned values[INPUTS];

    for (unsigned i = 0; i < INPUTS; i++)
        values[i] = next_input();
    if (values[INPUTS / 2] == 7)
        return 1;
    return 0;
}

extern unsigned numbers[INPUTS];

unsigned sum(void)
{
    unsigned total = 0;

    for (unsigned i = 0; i < INPUTS; i++)
        total += numbers[i];
    if (total == 7)
        return 1;
    return 0;
}
