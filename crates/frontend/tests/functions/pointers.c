long pointers(int *p, int *q, unsigned char i)
{
    int **pp = &p;
    *(p + i) = p[1];
    *pp = q - 1;
    ++*p++;
    return p - q;
}
