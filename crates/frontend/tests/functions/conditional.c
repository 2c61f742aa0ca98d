void log_it(int);
int conditional(int a, int b)
{
    a > b ? log_it(a) : (void)0;
    return a ?: (b++, b);
}
