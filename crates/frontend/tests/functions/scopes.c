void use(int *);
void scopes(int n)
{
    while (n) {
        int x;
        use(&x);
        if (x) {
            int y = n;
            use(&y);
            continue;
        }
        n--;
    }
}
