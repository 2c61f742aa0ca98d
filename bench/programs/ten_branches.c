/*
 * A function with ten branches on ten independent inputs: 2^10 = 1024 feasible paths.
 *
 *     attest cover bench/programs/ten_branches.c -f ten_branches --criterion all-paths
 */

unsigned ten_branches(int a, unsigned b, short c, unsigned char d, long e, int f, unsigned g, char h,
                      int i, unsigned j)
{
    unsigned taken = 0;

    if (a == 4711)
        taken |= 1u << 0;
    if (b > 1000)
        taken |= 1u << 1;
    if (c < -5)
        taken |= 1u << 2;
    if (d & 0x10)
        taken |= 1u << 3;
    if (e >= 1000000007L)
        taken |= 1u << 4;
    if ((f ^ 0x55) != 0x1234)
        taken |= 1u << 5;
    if (g % 8 == 3)
        taken |= 1u << 6;
    if (h == 'x')
        taken |= 1u << 7;
    if (i <= 0)
        taken |= 1u << 8;
    if (j >> 28 == 7)
        taken |= 1u << 9;
    return taken;
}
