// attest: cover -f ring_write
/*
 * A ring buffer of bytes with a fixed capacity.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { RING_CAPACITY = 8 };

struct ring {
    uint8_t data[RING_CAPACITY];
    unsigned first; /* index of the oldest byte */
    unsigned count; /* how many bytes are in it */
};

void ring_clear(struct ring *ring)
{
    ring->first = 0;
    ring->count = 0;
}

static bool is_consistent(const struct ring *ring)
{
    return ring->first < RING_CAPACITY && ring->count <= RING_CAPACITY;
}

/* Takes out the oldest byte; -1 if there is none. */
int ring_read(struct ring *ring)
{
    if (!ring || !is_consistent(ring) || ring->count == 0)
        return -1;
    uint8_t byte = ring->data[ring->first];
    ring->first = (ring->first + 1) % RING_CAPACITY;
    ring->count--;
    return byte;
}

/*
 * Appends bytes as long as there is room; returns how many. With `overwrite`, the oldest bytes make
 * room and all are appended.
 */
size_t ring_write(struct ring *ring, const uint8_t *bytes, size_t size, bool overwrite)
{
    if (!ring || !bytes || !is_consistent(ring)) //~ T covered, F covered
        return 0;

    for (size_t i = 0; i < size; i++) { //~ T covered, F covered
        if (ring->count == RING_CAPACITY) { //~ T covered, F covered
            if (!overwrite) //~ T covered, F covered
                return i;
            ring->first = (ring->first + 1) % RING_CAPACITY;
            ring->count--;
        }
        ring->data[(ring->first + ring->count) % RING_CAPACITY] = bytes[i];
        ring->count++;
    }
    return size;
}
