/* The kind of a triangle with these sides: 0 none, 1 scalene, 2 isosceles, 3 equilateral. */
int triangle(int a, int b, int c)
{
    if (a <= 0 || b <= 0 || c <= 0 || a > 10000 || b > 10000 || c > 10000)
        return 0;
    if (a + b <= c || b + c <= a || a + c <= b)
        return 0;
    if (a == b && b == c)
        return 3;
    if (a == b || b == c || a == c)
        return 2;
    return 1;
}
