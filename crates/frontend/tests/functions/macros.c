#define POSITIVE(x) ((x) > 0)
#define BOTH(x, y) (POSITIVE(x) && POSITIVE(y))
int macros(int a, int b)
{
    return BOTH(a, b) ? 1 : 0;
}
