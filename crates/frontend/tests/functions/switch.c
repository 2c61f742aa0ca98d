int classify(int c)
{
    switch (c) {
    case 0:
        c = 1;
    case 'a' ... 'z':
        c++;
        break;
    default:
        return -1;
    }
    return c;
}
