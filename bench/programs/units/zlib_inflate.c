/*
 * zlib's inflate on 24 bytes of input, in one of its formats, into two buffers one after the other.
 */
#include "inflate.c"

#include "attest.h"

enum { INPUT_SIZE = 24, OUTPUT_SIZE = 48 };

/* Raw deflate; zlib's format; gzip's or zlib's, whichever the input has. */
static const int formats[] = {-15, 15, 47};

int zlib_inflate(void)
{
    static unsigned char output[OUTPUT_SIZE];
    unsigned char input[INPUT_SIZE];
    unsigned char format;
    z_stream stream = {0};
    gz_header header = {0};
    int result;

    ATTEST_INPUT(input);
    ATTEST_INPUT(format);
    stream.next_in = input;
    stream.avail_in = INPUT_SIZE;
    if (format == 0)
        result = inflateInit2(&stream, formats[0]);
    else if (format == 1)
        result = inflateInit2(&stream, formats[1]);
    else
        result = inflateInit2(&stream, formats[2]);
    if (result != Z_OK)
        return result;
    if (format == 3)
        inflateGetHeader(&stream, &header);
    for (int part = 0; part < 2; part++) {
        stream.next_out = output;
        stream.avail_out = OUTPUT_SIZE;
        result = inflate(&stream, part == 0 ? Z_NO_FLUSH : Z_FINISH);
        if (result != Z_OK)
            break;
    }
    if (result == Z_DATA_ERROR)
        inflateSync(&stream);
    inflateEnd(&stream);
    return result;
}
