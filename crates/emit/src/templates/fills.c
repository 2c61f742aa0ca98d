/* What allocations hold that the unit does not write. */
struct attest_fill {
    unsigned long nth; /* which allocation, from 0 */
    unsigned long offset, size;
    const char *bytes;
};

static const struct attest_fill *attest_fills;
static unsigned long attest_fill_count;

#define ATTEST_FILLS(fills) \
    (attest_fills = (fills), attest_fill_count = sizeof(fills) / sizeof *(fills))

#if defined(__has_feature)
#if __has_feature(memory_sanitizer)
extern void __msan_poison(const volatile void *object, size_t size);
#define ATTEST_UNWRITTEN(object, size) __msan_poison(object, size)
#endif
#endif
#ifndef ATTEST_UNWRITTEN
#define ATTEST_UNWRITTEN(object, size) (void)0
#endif

static void *attest_filled(unsigned long nth, void *object)
{
    unsigned long i;
    unsigned long k;
    for (i = 0; object != NULL && i < attest_fill_count; i++) {
        const struct attest_fill *fill = &attest_fills[i];
        unsigned char *place = (unsigned char *)object + fill->offset;
        if (fill->nth != nth)
            continue;
        for (k = 0; k < fill->size; k++)
            place[k] = (unsigned char)fill->bytes[k];
        ATTEST_UNWRITTEN(place, fill->size);
    }
    return object;
}
