double unsupported(double x, int n)
{
    double y = x;
    if (n)
        y = x * n;
    return y;
}
