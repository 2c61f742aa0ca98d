int initializers(int i)
{
    char text[8] = "abc";
    const char *words[] = { "no", "yes" };
    int primes[] = { 2, 3, 5, 7, 11, 13, 17, 19, 23 };
    struct { int n; struct { char c; int a[2]; } in[2]; } s = { 1, { [1] = { .a = { 2, i } } } };
    return text[i] + *words[i] + primes[i] + s.in[1].a[1];
}
