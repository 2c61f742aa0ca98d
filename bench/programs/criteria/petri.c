/* A net of three places and four transitions, fired three times as the input says. */
int petri(unsigned a, unsigned b, const unsigned char wishes[3])
{
    unsigned c = 0;
    int fired = 0;

    if (a > 2 || b > 2 || !wishes)
        return -1;
    for (int round = 0; round < 3; round++) {
        if (wishes[round] == 0 && a > 0) {
            a--;
            b++;
            fired++;
        } else if (wishes[round] == 1 && b > 1) {
            b -= 2;
            c++;
            fired++;
        } else if (wishes[round] == 2 && c > 0 && a == 0) {
            c--;
            a += 2;
            fired++;
        }
    }
    if (c > 1)
        return -2;
    if (a + b + 2 * c > 4)
        return -3;
    return fired;
}
