/* Functions whose tests need stubs, allocations that fail, files and ends of their own. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int next(void);
void fill(char *text, int size);
extern int table[];
static int count;

int make(unsigned char size)
{
    char *first = malloc(4);
    if (!first)
        return 1;
    char *second = malloc(size + 1u);
    if (!second) {
        free(first);
        return 2;
    }
    count++;
    free(first);
    free(second);
    return count == 3 ? 3 : 0;
}

int ask(void)
{
    char text[4] = "";
    fill(text, sizeof text);
    if (text[0] == 'x' && next() > 7)
        return next() == 9;
    return table[3] == 5;
}

int call(int (*twice)(int), int number)
{
    if (twice == NULL)
        return -1;
    if (twice(number) == 12)
        return number == 3;
    return count > 4;
}

int divide(int by)
{
    if (by > 100)
        exit(3);
    return 7 / by;
}

int keep(int number)
{
    FILE *file = fopen("kept", "wx");
    if (file == NULL)
        return 1;
    fclose(file);
    return number > 3 ? 2 : 0;
}

void stop(int signal)
{
    if (signal == 2)
        abort();
    while (signal == 4)
        ;
    memset(&count, signal, sizeof count);
}
