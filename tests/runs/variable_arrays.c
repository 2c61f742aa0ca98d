/* Variable-length arrays: what attest runs prints what the compiled program prints. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct cell {
    short key;
    char name[3];
    long value;
};

static int calls;

static int counted(int n)
{
    calls++;
    return n;
}

static unsigned digest(int rows, int columns, int m[rows][columns])
{
    unsigned sum = 0;

    for (int i = 0; i < rows; i++)
        for (int j = 0; j < columns; j++)
            sum = sum * 31 + (unsigned)m[i][j];
    return sum;
}

static void fill(int columns, short (*row)[columns], int rows)
{
    short(*end)[columns] = row + rows;
    int next = 0;

    for (; row != end; ++row)
        for (int j = 0; j < columns; j++)
            (*row)[j] = (short)(next++ * 7);
}

static void multiply(int n, int m, int p, int a[n][m], int b[m][p], int result[n][p])
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < p; j++) {
            result[i][j] = 0;
            for (int k = 0; k < m; k++)
                result[i][j] += a[i][k] * b[k][j];
        }
}

static int of_blocks(int n, int m, int (*blocks)[n][m])
{
    return blocks[1][n - 1][m - 1] + (*blocks)[0][1];
}

static int last_of(int n, int a[*]);

static int last_of(int n, int a[n])
{
    return a[n - 1];
}

static const char *pick(int n, const char texts[n][4], int at)
{
    return texts[at];
}

static int depth(int n)
{
    if (n == 0)
        return 1;

    int own[n];

    for (int i = 0; i < n; i++)
        own[i] = n + i;

    int below = depth(n - 1);

    for (int i = 0; i < n; i++)
        below += own[i];
    return below;
}

static void lengths(void)
{
    int n = 4;
    int a[counted(n)], b[n + 1];

    for (int i = 0; i < n; i++)
        a[i] = i * i;
    memcpy(b, a, sizeof a);
    b[n] = -1;
    printf("%d %zu %zu %d\n", calls, sizeof a, sizeof b / sizeof b[0], b[n - 1] + b[n]);

    size_t size = sizeof(int[counted(3)]);

    printf("%zu %d %d\n", size, calls, last_of(n, a));

    int k = 3;
    int c[k++];

    c[2] = k;
    printf("%d %zu %d\n", k, sizeof c, c[2]);

    typedef long line[n];

    n = 10;

    line first;
    long(*pointer)[n] = NULL;

    first[3] = 6;
    printf("%zu %ld %zu\n", sizeof first, first[3], sizeof *pointer);
}

static void arrays_of_arrays(void)
{
    int n = 3, m = 4;
    int a[n][m], b[m][n], c[n][n];
    int blocks[2][n][m];
    short rows[3][n];

    for (int i = 0; i < n * m; i++) {
        (&a[0][0])[i] = i + 1;
        b[i / n][i % n] = i - 2;
    }
    multiply(n, m, n, a, b, c);
    printf("%u %u %u\n", digest(n, m, a), digest(m, n, b), digest(n, n, c));
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < n; j++)
            for (int k = 0; k < m; k++)
                blocks[i][j][k] = i * 50 + j * 7 + k;
    printf("%d %zu %zu\n", of_blocks(n, m, blocks), sizeof blocks, sizeof blocks[0][1]);
    fill(n, rows, 3);

    short(*last)[n] = &rows[2];

    printf("%d %d %d\n", (*last)[2], (*(last - 1))[1], (int)(last - rows));
    last--;
    last += 1;
    last -= 2;
    printf("%d %d\n", (*last)[0], last[1][2]);

    int(*row)[m] = a;
    const int(*kept)[m] = (const int(*)[m])a;

    printf("%d %d %d\n", row[1][0], *(*(row + 1) + 2), (int)(row + 1 == &a[1]));
    ++kept;
    printf("%d %zu\n", (*kept)[0], sizeof *kept);

    int(*whole)[n][m] = &a;

    (*whole)[1][0] = 9;
    printf("%d\n", a[1][0]);
}

static void objects(void)
{
    int n = 3;
    struct cell cells[n + 1];
    struct cell *last = &cells[n];
    char texts[3][4] = {"abc", "def", "ghi"};
    int(*heap)[n] = calloc(2, sizeof *heap);

    if (heap == NULL)
        abort();
    memset(cells, 0, sizeof cells);
    last->value = 77;
    last->name[1] = 'q';
    cells[1] = *last;
    cells[0].key = -3;
    printf("%ld %c %d\n", cells[1].value, cells[1].name[1], cells[0].key);
    printf("%s %s\n", pick(3, texts, 1), pick(3, (const char(*)[4])texts, 2));
    heap[1][2] = 5;
    heap[0][1] = 7;
    printf("%d %d\n", heap[1][2] + heap[0][1], ((int *)heap)[5]);
    free(heap);
}

static void lifetimes(void)
{
    int round = 0, sum = 0;

    do {
        char text[round + 2];

        memset(text, 'a' + round, sizeof text - 1);
        text[sizeof text - 1] = 0;
        sum += (int)strlen(text) * text[0];
        if (round == 1) {
            round++;
            continue;
        }
        round++;
    } while (round < 4);
    for (int i = 1; i < 4; i++) {
        int a[i];

        a[i - 1] = i;
        switch (i) {
        case 2: {
            int b[i * 2];

            b[3] = 4;
            sum += b[3];
            break;
        }
        default:
            sum += a[i - 1];
        }
    }
    round = 0;
again:;
    {
        unsigned char a[round + 1];

        memset(a, round, sizeof a);
        sum += (int)sizeof a + a[round];
        if (++round < 5)
            goto again;
    }
    printf("%d %d\n", sum, ({
               int a[round];
               a[0] = 4;
               a[0] * 2;
           }));
}

int main(void)
{
    lengths();
    arrays_of_arrays();
    objects();
    lifetimes();
    printf("%d\n", depth(6));
    return 0;
}
