/*
 * Models of arpa/inet.h: the order of bytes on a network is not that of any target here.
 */
typedef __UINT16_TYPE__ uint16_t;
typedef __UINT32_TYPE__ uint32_t;

uint16_t htons(uint16_t value)
{
    return __builtin_bswap16(value);
}

uint16_t ntohs(uint16_t value)
{
    return __builtin_bswap16(value);
}

uint32_t htonl(uint32_t value)
{
    return __builtin_bswap32(value);
}

uint32_t ntohl(uint32_t value)
{
    return __builtin_bswap32(value);
}
