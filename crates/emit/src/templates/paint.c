/* Leaves a pattern of 16 bytes on the stack, where the locals of the next call come to lie. The array
   is the only local, so that it begins right where theirs do. */
static const char *attest@pattern;
static unsigned long attest@painted;

static __attribute__((noinline, unused)) void attest@paint_frame(void)
{
    volatile unsigned char area[1 << 15] __attribute__((aligned(16)));
    for (attest@painted = 0; attest@painted < sizeof area; attest@painted++)
        area[attest@painted] = (unsigned char)attest@pattern[attest@painted % 16];
}

#define ATTEST@PAINT(pattern) (attest@pattern = (pattern), attest@paint_frame())
