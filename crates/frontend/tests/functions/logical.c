int logical(int a, int b, int *p)
{
    int both = a && b;
    if (!(a || !b) && p)
        both = !p;
    return both;
}
