// attest: cover -f matrix_classify
/*
 * Determinants of small integer matrices, as lattice transforms have them.
 */
#include <stddef.h>
#include <stdint.h>

enum { MATRIX_MAX = 3 };

struct matrix {
    uint8_t size;                         /* rows and columns, 1 to MATRIX_MAX */
    int8_t cell[MATRIX_MAX][MATRIX_MAX]; /* row, column */
};

enum matrix_class {
    MATRIX_INVALID,
    MATRIX_SINGULAR,   /* loses a dimension */
    MATRIX_UNIMODULAR, /* has an integer inverse */
    MATRIX_REGULAR,    /* has a rational inverse */
};

/* The determinant of the 2x2 matrix of the rows r, s and the columns c, d. */
static int minor(const struct matrix *m, int r, int s, int c, int d)
{
    return m->cell[r][c] * m->cell[s][d] - m->cell[r][d] * m->cell[s][c];
}

enum matrix_class matrix_classify(const struct matrix *m)
{
    int determinant;

    if (m == NULL) //~ T covered, F covered
        return MATRIX_INVALID;

    switch (m->size) {
    case 1: //~ case 1 covered
        determinant = m->cell[0][0];
        break;
    case 2: //~ case 2 covered
        determinant = minor(m, 0, 1, 0, 1);
        break;
    case 3: //~ case 3 covered
        determinant = 0;
        for (int column = 0; column < 3; column++) //~ T covered, F covered
            determinant += m->cell[0][column] * minor(m, 1, 2, (column + 1) % 3, (column + 2) % 3);
        break;
    default: //~ default covered
        return MATRIX_INVALID;
    }

    if (determinant == 0) //~ T covered, F covered
        return MATRIX_SINGULAR;
    if (determinant == 1 || determinant == -1) //~ T covered, F covered
        return MATRIX_UNIMODULAR;
    return MATRIX_REGULAR;
}
