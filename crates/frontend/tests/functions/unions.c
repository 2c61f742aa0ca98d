union word {
    int i;
    unsigned char bytes[4];
};
int unions(int i)
{
    union word w = { .i = i };
    w.bytes[0] = 1;
    return w.i;
}
