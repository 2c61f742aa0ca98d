static int seen;
const int limits[2] = { 5, 7 };
int statics(void)
{
    static int calls = 3;
    extern int outside;
    return ++calls + seen++ + limits[1] + outside;
}
