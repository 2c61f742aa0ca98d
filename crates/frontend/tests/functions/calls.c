_Noreturn void die(const char *why);
int calls(int (*f)(int, char), int (*table[])(int, char), int i)
{
    if (!f)
        die("no function");
    return f(i, 3) + (*table[i])(f(1, 2), i);
}
