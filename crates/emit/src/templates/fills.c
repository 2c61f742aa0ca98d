/* What allocations hold that the unit does not write. */
struct attest@fill {
    unsigned long nth; /* which allocation, from 0 */
    unsigned long offset, size;
    const char *bytes;
};

static const struct attest@fill *attest@fills;
static unsigned long attest@fill_count;

#define ATTEST@FILLS(fills) \
    (attest@fills = (fills), attest@fill_count = sizeof(fills) / sizeof *(fills))

#if defined(__has_feature)
#if __has_feature(memory_sanitizer)
extern void attest@poison(const volatile void *object, attest@size size) ATTEST@LIBC("__msan_poison");
#define ATTEST@UNWRITTEN(object, size) attest@poison(object, size)
#endif
#endif
#ifndef ATTEST@UNWRITTEN
#define ATTEST@UNWRITTEN(object, size) (void)0
#endif

static void *attest@filled(unsigned long nth, void *object)
{
    unsigned long i;
    unsigned long k;
    for (i = 0; object != NULL && i < attest@fill_count; i++) {
        const struct attest@fill *fill = &attest@fills[i];
        unsigned char *place = (unsigned char *)object + fill->offset;
        if (fill->nth != nth)
            continue;
        for (k = 0; k < fill->size; k++)
            place[k] = (unsigned char)fill->bytes[k];
        ATTEST@UNWRITTEN(place, fill->size);
    }
    return object;
}
