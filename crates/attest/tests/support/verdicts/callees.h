/* Functions of a header: they are no entries of their own, and calls of them may be replaced by inputs. */
static int clamp(int x, int most)
{
    int r = x;
    while (r > most && r > x - 3)
        r--;
    return r < 0 ? -1 : r;
}

static int store(int *to, int v)
{
    if (v > 3) {
        *to = v;
        return 1;
    }
    return 0;
}
