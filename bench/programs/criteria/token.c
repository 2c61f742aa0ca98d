/* The kind of the first token of a text of four characters: 0 nothing, 1 name, 2 number, 3 other. */
static int is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static int is_digit(char c)
{
    return c >= '0' && c <= '9';
}

int token(const char text[4], int *length)
{
    int at = 0, start;

    if (!text || !length)
        return -1;
    while (at < 4 && (text[at] == ' ' || text[at] == '\t'))
        at++;
    start = at;
    if (at == 4 || text[at] == 0)
        return 0;
    if (is_letter(text[at])) {
        while (at < 4 && (is_letter(text[at]) || is_digit(text[at])))
            at++;
        *length = at - start;
        return 1;
    }
    if (is_digit(text[at])) {
        while (at < 4 && is_digit(text[at]))
            at++;
        *length = at - start;
        return at < 4 && is_letter(text[at]) ? -2 : 2;
    }
    *length = 1;
    return 3;
}
