// attest: cover -f leak_early_return
// defect: leak 41
// exit: 1
/*
 * Linear expressions on the heap. Seeded defect: a sum that is constant is given as NULL, and what
 * was allocated for it is lost.
 *
 *     attest cover bench/programs/structures/defects/leak_early_return.c -f leak_early_return
 */
#include <stdlib.h>

enum { VARIABLES = 4 };

/* A sum of variables with factors. */
struct linear {
    int count; /* of the variables whose factor is not 0 */
    int factors[VARIABLES];
};

/* One variable, as it is. */
static struct linear *linear_create(unsigned variable)
{
    struct linear *linear = calloc(1, sizeof *linear);

    if (!linear)
        return 0;
    linear->count = 1;
    linear->factors[variable] = 1;
    return linear;
}

static void linear_negate(struct linear *linear)
{
    for (int i = 0; i < VARIABLES; i++)
        linear->factors[i] = -linear->factors[i];
}

/* left + right, or left - right; NULL if that is constant, or there is no memory. */
static struct linear *linear_add(const struct linear *left, const struct linear *right, _Bool minus)
{
    struct linear *sum = malloc(sizeof *sum);

    if (!sum)
        return 0;
    sum->count = 0;
    for (int i = 0; i < VARIABLES; i++) {
        sum->factors[i] = left->factors[i];
        sum->factors[i] += minus ? -right->factors[i] : right->factors[i];
        if (sum->factors[i] != 0)
            sum->count++;
    }
    if (sum->count == 0)
        return 0; /* sum is not freed */
    return sum;
}

_Bool leak_early_return_precond(unsigned first, unsigned second, _Bool negated, _Bool minus)
{
    (void)negated;
    (void)minus;
    return first < VARIABLES && second < VARIABLES;
}

/* How many variables are in (-)first +/- second. */
int leak_early_return(unsigned first, unsigned second, _Bool negated, _Bool minus)
{
    struct linear *left = linear_create(first);
    struct linear *right = linear_create(second);
    struct linear *sum = 0;
    int count = 0;

    if (left && right) {
        if (negated)
            linear_negate(left);
        sum = linear_add(left, right, minus);
    }
    if (sum)
        count = sum->count;
    free(left);
    free(right);
    free(sum);
    return count;
}
