/*
 * zlib's deflate on 16 bytes of input, with any level and strategy, the smallest window and as little
 * memory as it takes.
 */
#include "deflate.c"

#include "attest.h"

enum { INPUT_SIZE = 16, OUTPUT_SIZE = 64, LEVELS = 10, WINDOW_BITS = 9, MEMORY_LEVEL = 1 };

int zlib_deflate(void)
{
    static unsigned char output[OUTPUT_SIZE];
    unsigned char input[INPUT_SIZE];
    unsigned char options[4];
    int level = Z_DEFAULT_COMPRESSION;
    int strategy = Z_DEFAULT_STRATEGY;
    z_stream stream = {0};
    int result;

    ATTEST_INPUT(input);
    ATTEST_INPUT(options);
    /* Each level and strategy is a path of its own. */
    for (int i = 0; i < LEVELS; i++) {
        if (options[0] == i)
            level = i;
    }
    for (int i = Z_FILTERED; i <= Z_FIXED; i++) {
        if (options[1] == i)
            strategy = i;
    }
    result = deflateInit2(&stream, level, Z_DEFLATED, options[2] == 1 ? -WINDOW_BITS : WINDOW_BITS,
                          MEMORY_LEVEL, strategy);
    if (result != Z_OK)
        return result;
    stream.next_in = input;
    stream.avail_in = INPUT_SIZE;
    stream.next_out = output;
    stream.avail_out = OUTPUT_SIZE;
    if (options[3] == 1)
        deflate(&stream, Z_SYNC_FLUSH);
    else if (options[3] == 2)
        deflate(&stream, Z_FULL_FLUSH);
    result = deflate(&stream, Z_FINISH);
    deflateEnd(&stream);
    return result;
}
