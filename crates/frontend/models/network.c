/*
 * Models of arpa/inet.h: the order of bytes on a network is not that of any target here.
 */
typedef __UINT16_TYPE__ uint16_t;
typedef __UINT32_TYPE__ uint32_t;

static uint16_t swapped16(uint16_t value)
{
    return (uint16_t)(value << 8 | value >> 8);
}

static uint32_t swapped32(uint32_t value)
{
    return value << 24 | (value & 0xff00u) << 8 | (value >> 8 & 0xff00u) | value >> 24;
}

uint16_t htons(uint16_t value)
{
    return swapped16(value);
}

uint16_t ntohs(uint16_t value)
{
    return swapped16(value);
}

uint32_t htonl(uint32_t value)
{
    return swapped32(value);
}

uint32_t ntohl(uint32_t value)
{
    return swapped32(value);
}
