int loops(int n)
{
    int sum = 0;
    for (int i = 0; i < n; i++) {
        if (i == 3)
            continue;
        sum += i;
    }
    while (sum > 10)
        sum -= 3;
    do {
        sum++;
    } while (sum < 0);
    return sum;
}
