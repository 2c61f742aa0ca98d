/* Merges two sorted halves of four numbers. Returns how often both had the same. */
int merge(const int left[2], const int right[2], int result[4])
{
    int l = 0, r = 0, same = 0;

    if (!left || !right || !result || left[0] > left[1] || right[0] > right[1])
        return -1;
    for (int i = 0; i < 4; i++) {
        if (r == 2 || (l < 2 && left[l] <= right[r])) {
            if (r < 2 && left[l] == right[r])
                same++;
            result[i] = left[l++];
        } else {
            result[i] = right[r++];
        }
    }
    return same;
}
