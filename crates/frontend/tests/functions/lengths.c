int row_sum(int n, int m[][n], int row)
{
    int sums[n];
    for (int i = 0; i < n; i++)
        sums[i] = m[row][i];
    return sums[n - 1] + (int)sizeof sums;
}
