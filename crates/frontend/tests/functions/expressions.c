#define MAX(a, b) ({ int _a = (a); int _b = (b); _a > _b ? _a : _b; })
struct point { int x, y; };
int expressions(int a, int b)
{
    struct point *p = &(struct point){ .y = MAX(a, b) };
    return p->y + sizeof *p + _Generic(a, int: 1, default: 2);
}
