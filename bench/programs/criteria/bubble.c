/* Sorts four numbers by swaps of neighbours, until there was none. Returns how many there were. */
int bubble(int a, int b, int c, int d)
{
    int values[4] = {a, b, c, d};
    int swaps = 0, swapped = 1;

    for (int round = 0; round < 3 && swapped; round++) {
        swapped = 0;
        for (int i = 0; i + 1 < 4 - round; i++) {
            if (values[i] > values[i + 1]) {
                int held = values[i];
                values[i] = values[i + 1];
                values[i + 1] = held;
                swapped = 1;
                swaps++;
            }
        }
    }
    return swaps;
}
