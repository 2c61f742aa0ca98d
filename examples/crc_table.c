// attest: cover -f frame_check
/*
 * CRC-16/CCITT-FALSE with a table of 16 entries, one half of a byte at a time, and a check of
 * frames that end with it, most significant byte first.
 */
#include <stddef.h>
#include <stdint.h>

static const uint16_t crc_of_nibble[16] = {
    0x0000, 0x1021, 0x2042, 0x3063, 0x4084, 0x50a5, 0x60c6, 0x70e7,
    0x8108, 0x9129, 0xa14a, 0xb16b, 0xc18c, 0xd1ad, 0xe1ce, 0xf1ef,
};

uint16_t crc16_update(uint16_t crc, uint8_t byte)
{
    crc = (uint16_t)(crc << 4 ^ crc_of_nibble[(crc >> 12) ^ (byte >> 4)]);
    crc = (uint16_t)(crc << 4 ^ crc_of_nibble[(crc >> 12) ^ (byte & 0x0f)]);
    return crc;
}

enum frame_status {
    FRAME_OK,
    FRAME_ACKNOWLEDGEMENT, /* a good frame of one byte */
    FRAME_BAD_ARGUMENT,
    FRAME_TOO_SHORT,
    FRAME_TOO_LONG,
    FRAME_DAMAGED,
};

enum { CRC_SIZE = 2, LONGEST_FRAME = 12 };

/* Checks a frame: a payload of at least one byte, then the payload's CRC. */
enum frame_status frame_check(const uint8_t *frame, size_t size)
{
    uint16_t crc = 0xffff;

    if (frame == NULL) //~ T covered, F covered
        return FRAME_BAD_ARGUMENT;
    if (size <= CRC_SIZE) //~ T covered, F covered
        return FRAME_TOO_SHORT;
    if (size > LONGEST_FRAME) //~ T covered, F covered
        return FRAME_TOO_LONG;

    for (size_t i = 0; i < size - CRC_SIZE; i++) //~ T covered, F covered
        crc = crc16_update(crc, frame[i]);

    uint16_t received = (uint16_t)(frame[size - 2] << 8 | frame[size - 1]);
    if (crc != received) //~ T covered, F covered
        return FRAME_DAMAGED;
    return size == CRC_SIZE + 1 ? FRAME_ACKNOWLEDGEMENT : FRAME_OK; //~ T covered, F covered
}
