struct point {
    int x, y;
};
struct point *where;
struct point swap(struct point p)
{
    struct point q = { p.y, p.x };
    *where = q;
    q.x = swap(*where).y;
    return q;
}
