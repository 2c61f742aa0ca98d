unsigned conversions(signed char c, unsigned short s, long l, _Bool b, void *p)
{
    b = l;
    b = p;
    c += s;
    s = c;
    l = (long)p;
    return l + c + b + 'a';
}
