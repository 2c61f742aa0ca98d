/*
 * Concrete work for the machine: about 200 million IR steps of integer arithmetic, array accesses
 * and structs, with nothing symbolic. Prints one checksum.
 *
 *     attest run bench/programs/concrete_loop.c
 */
#include <stdint.h>
#include <stdio.h>

enum {
    MIX_ROUNDS = 6000000,
    SIEVE_SIZE = 50000,
    SIEVE_ROUNDS = 30,
    BODIES = 64,
    BODY_ROUNDS = 50000,
};

/* Integer arithmetic in registers. */
static uint32_t mix(uint32_t state)
{
    for (int i = 0; i < MIX_ROUNDS; i++) {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        if (state % 3 == 0)
            state += (uint32_t)i;
    }
    return state;
}

/* Loads and stores in an array. */
static uint32_t count_primes(void)
{
    static uint8_t composite[SIEVE_SIZE];
    uint32_t count = 0;

    for (int round = 0; round < SIEVE_ROUNDS; round++) {
        for (uint32_t i = 0; i < SIEVE_SIZE; i++)
            composite[i] = 0;
        for (uint32_t i = 2; i < SIEVE_SIZE; i++) {
            if (composite[i])
                continue;
            count++;
            for (uint32_t k = i * 2; k < SIEVE_SIZE; k += i)
                composite[k] = 1;
        }
    }
    return count;
}

struct body {
    int32_t place;
    int32_t speed;
    uint32_t turns;
};

static void step(struct body *body)
{
    body->place += body->speed;
    if (body->place > 1000 || body->place < -1000) {
        body->speed = -body->speed;
        body->turns++;
    }
}

/* Structs behind pointers, and calls. */
static uint32_t bounce(void)
{
    struct body bodies[BODIES];
    uint32_t turns = 0;

    for (int i = 0; i < BODIES; i++)
        bodies[i] = (struct body){.place = i, .speed = i % 7 + 1, .turns = 0};
    for (int round = 0; round < BODY_ROUNDS; round++) {
        for (int i = 0; i < BODIES; i++)
            step(&bodies[i]);
    }
    for (int i = 0; i < BODIES; i++)
        turns = turns * 31 + bodies[i].turns;
    return turns;
}

int main(void)
{
    uint32_t checksum = mix(2463534242u);

    checksum = checksum * 31 + count_primes();
    checksum = checksum * 31 + bounce();
    printf("%08x\n", (unsigned)checksum);
    return 0;
}
