/*
 * A recursive-descent parser of PL/0, for programs of at most TOKENS tokens (LATEST, table 3).
 *
 *     attest cover parser.c lexer.c -f pl0 --scope file --criterion unit-paths -- -DTOKENS=7
 *
 *     program    = block "."
 *     block      = [ "const" name "=" number { "," name "=" number } ";" ]
 *                  [ "var" name { "," name } ";" ] { "procedure" name ";" block ";" } statement
 *     statement  = [ name ":=" expression | "call" name | "begin" statement { ";" statement } "end"
 *                  | "if" condition "then" statement | "while" condition "do" statement ]
 *     condition  = "odd" expression | expression ( "=" | "#" | "<" | "<=" | ">" | ">=" ) expression
 *     expression = [ "+" | "-" ] term { ( "+" | "-" ) term }
 *     term       = factor { ( "*" | "/" ) factor }
 *     factor     = name | number | "(" expression ")"
 *
 * No name has to be declared. Every token has a way of its own through the parser, so that each valid
 * sequence of tokens is one path. A text with more than TOKENS tokens is no input.
 */
#include "attest.h"
#include "lexer.h"

#ifndef TOKENS
#define TOKENS 7
#endif

/* No token is longer than nine characters; one between two is enough. */
enum { TEXT_SIZE = 10 * TOKENS };

struct parser {
    struct lexer lexer;
    enum token token; /* that is looked at */
    int tokens;       /* how many there were */
    int operation;    /* the last operation */
};

static void advance(struct parser *parser)
{
    parser->token = lex(&parser->lexer);
    if (parser->token != END_OF_TEXT) {
        ATTEST_ASSUME(parser->tokens < TOKENS);
        parser->tokens++;
    }
}

/* Goes past the token if it is this one; whether it was. */
static _Bool accept(struct parser *parser, enum token token)
{
    if (parser->token != token)
        return 0;
    advance(parser);
    return 1;
}

static _Bool expression(struct parser *parser);

static _Bool factor(struct parser *parser)
{
    switch (parser->token) {
    case NAME:
    case NUMBER:
        advance(parser);
        return 1;
    case OPEN:
        advance(parser);
        return expression(parser) && accept(parser, CLOSE);
    default:
        return 0;
    }
}

static _Bool term(struct parser *parser)
{
    for (;;) {
        if (!factor(parser))
            return 0;
        switch (parser->token) {
        case TIMES:
        case DIVIDE:
            advance(parser);
            break;
        default:
            return 1;
        }
    }
}

static _Bool expression(struct parser *parser)
{
    switch (parser->token) {
    case PLUS:
    case MINUS:
        advance(parser);
        break;
    default:
        break;
    }
    for (;;) {
        if (!term(parser))
            return 0;
        switch (parser->token) {
        case PLUS:
        case MINUS:
            advance(parser);
            break;
        default:
            return 1;
        }
    }
}

static _Bool condition(struct parser *parser)
{
    if (accept(parser, ODD))
        return expression(parser);
    if (!expression(parser))
        return 0;
    switch (parser->token) {
    case EQUAL:
    case UNEQUAL:
    case LESS:
    case LESS_OR_EQUAL:
    case GREATER:
    case GREATER_OR_EQUAL:
        parser->operation = parser->token;
        advance(parser);
        return expression(parser);
    default:
        return 0;
    }
}

static _Bool statement(struct parser *parser)
{
    switch (parser->token) {
    case NAME:
        advance(parser);
        return accept(parser, ASSIGN) && expression(parser);
    case CALL:
        advance(parser);
        return accept(parser, NAME);
    case BEGIN:
        do {
            advance(parser);
            if (!statement(parser))
                return 0;
        } while (parser->token == SEMICOLON);
        return accept(parser, END);
    case IF:
        advance(parser);
        return condition(parser) && accept(parser, THEN) && statement(parser);
    case WHILE:
        advance(parser);
        return condition(parser) && accept(parser, DO) && statement(parser);
    default:
        return 1;
    }
}

static _Bool constants(struct parser *parser)
{
    do {
        if (!accept(parser, NAME) || !accept(parser, EQUAL) || !accept(parser, NUMBER))
            return 0;
    } while (accept(parser, COMMA));
    return accept(parser, SEMICOLON);
}

static _Bool variables(struct parser *parser)
{
    do {
        if (!accept(parser, NAME))
            return 0;
    } while (accept(parser, COMMA));
    return accept(parser, SEMICOLON);
}

static _Bool block(struct parser *parser)
{
    if (accept(parser, CONST) && !constants(parser))
        return 0;
    if (accept(parser, VAR) && !variables(parser))
        return 0;
    while (accept(parser, PROCEDURE)) {
        if (!accept(parser, NAME) || !accept(parser, SEMICOLON))
            return 0;
        if (!block(parser) || !accept(parser, SEMICOLON))
            return 0;
    }
    return statement(parser);
}

/* Whether the input is a valid program. */
_Bool pl0(void)
{
    char text[TEXT_SIZE];
    struct parser parser = {.lexer = {.text = text}};

    ATTEST_INPUT(text);
    text[TEXT_SIZE - 1] = '\0';
    advance(&parser);
    return block(&parser) && accept(&parser, PERIOD) && parser.token == END_OF_TEXT;
}
