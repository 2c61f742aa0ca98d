struct flags {
    unsigned a : 3;
    int b : 5;
    _Bool c : 1;
};
int bitfields(struct flags *f)
{
    f->a++;
    f->b -= 2;
    f->c = f->a;
    return f->b = 40;
}
