/*
 * A framed message: magic number, version, length, records, checksum. What is behind a check is
 * reached only by messages that pass all checks before it.
 *
 *     attest cover bench/programs/strategies/message.c -f message --scope file
 */
#include "attest.h"

enum { SIZE = 24, HEADER = 6, MOST_RECORDS = 4 };

enum record { PADDING, NAME, AMOUNT, FLAGS };

struct order {
    int named;
    int amount;
    unsigned flags;
};

static unsigned two_bytes(const unsigned char *bytes)
{
    return (unsigned)bytes[0] << 8 | bytes[1];
}

static unsigned checksum(const unsigned char *bytes, unsigned length)
{
    unsigned sum = 0x5a;

    for (unsigned i = 0; i < length; i++) {
        sum = (sum << 1 ^ sum >> 7 ^ bytes[i]) & 0xff;
    }
    return sum;
}

/* Reads a record; its length, or less than 0. */
static int read_record(const unsigned char *bytes, unsigned left, struct order *order)
{
    if (bytes[0] == PADDING) {
        return 1;
    }
    if (left < 2 || bytes[1] > left - 2) {
        return -1;
    }
    switch (bytes[0]) {
    case NAME:
        if (bytes[1] == 0) {
            return -2;
        }
        order->named = 1;
        break;
    case AMOUNT:
        if (bytes[1] != 2) {
            return -3;
        }
        if (!order->named) {
            return -4;
        }
        order->amount = (int)two_bytes(bytes + 2);
        break;
    case FLAGS:
        for (unsigned i = 0; i < bytes[1]; i++) {
            order->flags |= 1u << bytes[2 + i] % 8;
        }
        break;
    default:
        return -5;
    }
    return bytes[1] + 2;
}

static int read_records(const unsigned char *bytes, unsigned length, struct order *order)
{
    unsigned at = 0;
    int records = 0;

    while (at < length) {
        int used = read_record(bytes + at, length - at, order);
        if (used < 0) {
            return used;
        }
        at += (unsigned)used;
        records++;
        if (records > MOST_RECORDS) {
            return -6;
        }
    }
    return records;
}

int message(void)
{
    unsigned char bytes[SIZE];
    struct order order = {0, 0, 0};

    ATTEST_INPUT(bytes);
    if (two_bytes(bytes) != 0xa77e) {
        return -10;
    }
    if (bytes[2] < 1 || bytes[2] > 3) {
        return -11;
    }
    unsigned length = two_bytes(bytes + 3);
    if (length > SIZE - HEADER) {
        return -12;
    }
    if (bytes[2] >= 2 && checksum(bytes + HEADER, length) != bytes[5]) {
        return -13;
    }
    int records = read_records(bytes + HEADER, length, &order);
    if (records < 0) {
        return records;
    }
    if (order.amount == 1999) {
        return 3;
    }
    if (bytes[2] == 3 && order.flags == 0x81) {
        return 2;
    }
    if (records == MOST_RECORDS && order.named) {
        return 1;
    }
    return 0;
}
