static int grid[3][4];
int *arrays(int i, int j)
{
    int local[2] = { 1 };
    grid[i][j] += local[1];
    local[i] = grid[1][2];
    return &grid[2][1];
}
