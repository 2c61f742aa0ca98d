/*
 * Lua's lexer on 16 bytes of source, with small stand-ins for what it needs of the interpreter:
 * strings that are never collected, integers as the only numbers, and errors that end the program.
 */
#include "llex.c"

#include <stdlib.h>

#include "attest.h"

enum { SOURCE_SIZE = 16, MOST_TOKENS = 6, STACK_SIZE = 4 };

/* All strings, so that none counts as lost. */
static TString *strings;

void *luaM_saferealloc_(lua_State *state, void *block, size_t old_size, size_t size)
{
    (void)state;
    (void)old_size;
    return realloc(block, size);
}

TString *luaS_newlstr(lua_State *state, const char *text, size_t length)
{
    TString *string = malloc(sizeof *string + length);

    (void)state;
    memcpy(string->contents, text, length);
    string->contents[length] = '\0';
    string->tt = LUA_VSHRSTR;
    string->shrlen = (lu_byte)length;
    string->extra = 0;
    string->u.hnext = strings;
    strings = string;
    for (int i = 0; i < NUM_RESERVED; i++) {
        if (strcmp(string->contents, luaX_tokens[i]) == 0)
            string->extra = cast_byte(i + 1);
    }
    return string;
}

/* Whether a string was met before is an input. */
const TValue *luaH_getstr(Table *table, TString *key)
{
    static Node met;
    static TValue nothing;
    _Bool before;

    (void)table;
    ATTEST_INPUT(before);
    if (!before) {
        setnilvalue(&nothing);
        return &nothing;
    }
    met.u.tt_ = LUA_VTRUE;
    met.u.key_val.gc = obj2gco(key);
    return gval(&met);
}

void luaH_finishset(lua_State *state, Table *table, const TValue *key, const TValue *slot,
                    TValue *value)
{
    (void)state;
    (void)table;
    (void)key;
    (void)slot;
    (void)value;
}

const char *luaG_addinfo(lua_State *state, const char *message, TString *source, int line)
{
    (void)state;
    (void)source;
    (void)line;
    return message;
}

l_noret luaD_throw(lua_State *state, int code)
{
    (void)state;
    exit(code);
}

int luaZ_fill(ZIO *input)
{
    (void)input;
    return EOZ;
}

int luaO_hexavalue(int c)
{
    if (lisdigit(c))
        return c - '0';
    return (ltolower(c) - 'a') + 10;
}

size_t luaO_str2num(const char *text, TValue *number)
{
    lua_Integer value = 0;
    size_t i = 0;

    while (lisdigit((unsigned char)text[i]) && i < 18)
        value = 10 * value + (text[i++] - '0');
    if (text[i] != '\0')
        return 0;
    setivalue(number, value);
    return i + 1;
}

/* Fills the buffer from its end, as the lexer expects it. */
int luaO_utf8esc(char *buffer, unsigned long code)
{
    int used = 1;
    unsigned first_limit = 0x3f;

    if (code < 0x80) {
        buffer[UTF8BUFFSZ - 1] = (char)code;
        return 1;
    }
    do {
        buffer[UTF8BUFFSZ - used++] = (char)(0x80 | (code & 0x3f));
        code >>= 6;
        first_limit >>= 1;
    } while (code > first_limit);
    buffer[UTF8BUFFSZ - used] = (char)((~first_limit << 1) | code);
    return used;
}

int lua_lexer(void)
{
    char source[SOURCE_SIZE];
    StackValue stack[STACK_SIZE];
    global_State global = {0};
    lua_State state = {0};
    Mbuffer buffer = {0};
    ZIO input = {0};
    LexState lexer = {0};
    int tokens = 0;

    ATTEST_INPUT(source);
    strings = NULL;
    state.l_G = &global;
    state.top.p = stack;
    input.p = source;
    input.n = SOURCE_SIZE;
    lexer.buff = &buffer;
    luaX_setinput(&state, &lexer, &input, NULL, zgetc(&input));
    do {
        luaX_next(&lexer);
        if (lexer.t.token == '=' && luaX_lookahead(&lexer) == '=')
            luaX_syntaxerror(&lexer, "two of them");
        tokens++;
    } while (lexer.t.token != TK_EOS && tokens < MOST_TOKENS);
    luaZ_freebuffer(&state, &buffer);
    return tokens;
}
