/* One round in each of which one input is right: of 2^ROUNDS ways through the loop, one leads to
   the goal behind it (the structure of figure 4 of "Abstraction-driven concolic testing", 2015). */
// attest: cover -f simple_while --scope file

#ifndef ROUNDS
#define ROUNDS 30
#endif

int reading(void);
void all_were_right(void);

void simple_while(void)
{
    int was_wrong = 0;
    for (int round = 0; round < ROUNDS; round++) {
        int value = reading();
        if (round == 6 && value == 4)
            was_wrong = 1;
        if (round != 6 && value != 4)
            was_wrong = 1;
    }
    if (was_wrong == 0)
        all_were_right();
}
