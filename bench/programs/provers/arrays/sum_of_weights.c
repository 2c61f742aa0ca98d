// attest: cover -f sum_of_weights --scope file --no-replay
/*
 * Weights of an allocated array, whose length is an input: a first loop gives each the weight 1, a
 * second one adds 1, and a third one adds them up in 64 bits. All weights are 2 behind the second
 * loop, and those that it has not come to are 1; the sum is twice the number of rounds.
 */
void *malloc(__SIZE_TYPE__ size);
void free(void *memory);

enum { MOST = 1000000 };

int sum_of_weights(int count)
{
    long long sum = 0;
    int *weights;

    if (count <= 0 || count > MOST) { //~ T covered, F covered
        return -1;
    }
    weights = malloc(count * sizeof *weights);
    if (!weights) { //~ T covered, F covered
        return -1;
    }
    for (int i = 0; i < count; i++) { //~ T covered, F covered
        weights[i] = 1;
    }
    for (int i = 0; i < count; i++) { //~ T covered, F covered
        if (weights[i] != 1) { //~ T unreachable, F covered
            sum = -1;
        }
        weights[i] += 1;
    }
    for (int i = 0; i < count; i++) { //~ T covered, F covered
        if (weights[i] > 1) { //~ T covered, F unreachable
            sum += weights[i];
        } else {
            sum -= weights[i];
        }
    }
    if (sum != 2 * (long long)count) { //~ T unreachable, F covered
        count = -2;
    }
    free(weights);
    return count;
}
