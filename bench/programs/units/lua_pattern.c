/*
 * Lua's pattern matching (string.find and its kin) on a pattern of 8 and a text of 6 characters,
 * without an interpreter around it: an error ends the program.
 */
#define LUA_LIB

#include "lprefix.h"

#include <stdlib.h>

#include "lua.h"

#include "lauxlib.h"

static int stop(void)
{
    exit(1);
}

/* A wrong pattern is an error, whatever the message. */
#define luaL_error(...) stop()

#include "lstrlib.c"

#include "attest.h"

enum { PATTERN_SIZE = 8, TEXT_SIZE = 6 };

int lua_pattern(void)
{
    char pattern[PATTERN_SIZE + 1];
    char text[TEXT_SIZE + 1];
    MatchState state;
    const char *start = text;
    const char *found;

    ATTEST_INPUT(pattern);
    ATTEST_INPUT(text);
    pattern[PATTERN_SIZE] = '\0';
    text[TEXT_SIZE] = '\0';
    prepstate(&state, NULL, text, TEXT_SIZE, pattern, PATTERN_SIZE);
    do {
        reprepstate(&state);
        found = match(&state, start, pattern);
        if (found) {
            const char *captured = NULL;

            for (int i = 0; i < state.level; i++)
                get_onecapture(&state, i, start, found, &captured);
            return (int)(found - start);
        }
    } while (start++ < state.src_end);
    if (nospecials(pattern, PATTERN_SIZE))
        return lmemfind(text, TEXT_SIZE, pattern, 3) != NULL;
    return -1;
}
