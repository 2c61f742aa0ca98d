int find(const int *a, int n, int key)
{
    int i = 0;
again:
    if (i == n)
        goto fail;
    if (a[i] == key)
        return i;
    i++;
    goto again;
fail:
    return -1;
}
