/* Leaves a pattern of 16 bytes on the stack, where the locals of the next call come to lie. The array
   is the only local, so that it begins right where theirs do. */
static const char *attest_pattern;
static unsigned long attest_painted;

static __attribute__((noinline, unused)) void attest_paint_frame(void)
{
    volatile unsigned char area[1 << 15] __attribute__((aligned(16)));
    for (attest_painted = 0; attest_painted < sizeof area; attest_painted++)
        area[attest_painted] = (unsigned char)attest_pattern[attest_painted % 16];
}

#define ATTEST_PAINT(pattern) (attest_pattern = (pattern), attest_paint_frame())
