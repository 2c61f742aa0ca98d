/* Checks a frame of a CAN bus: identifier, flags, length and data, and a sum over the data. */
struct frame {
    unsigned id;
    unsigned char is_extended;
    unsigned char is_remote;
    unsigned char length;
    unsigned char data[4];
};

static int is_id_valid(unsigned id, int is_extended)
{
    return is_extended ? id < (1u << 29) : id < (1u << 11) && id != 0x7ff;
}

int can_frame(const struct frame *frame)
{
    unsigned char sum = 0;

    if (!frame || frame->is_extended > 1 || frame->is_remote > 1)
        return -1;
    if (!is_id_valid(frame->id, frame->is_extended))
        return -2;
    if (frame->length > 4 || (frame->is_remote && frame->length != 0))
        return -3;
    if (frame->length == 0)
        return frame->is_remote ? 1 : 0;
    for (int i = 0; i + 1 < frame->length; i++)
        sum += frame->data[i];
    if (sum != frame->data[frame->length - 1])
        return -4;
    if (frame->id < 16 && (frame->data[0] & 0x80))
        return 3;
    return 2;
}
