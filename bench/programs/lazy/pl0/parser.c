/*
 * A recursive-descent parser of PL/0, for programs of at most TOKENS tokens (LATEST, table 3).
 *
 *     attest cover parser.c lexer.c -f pl0 --scope file --criterion unit-paths -- -DTOKENS=7
 *
 *     program    = block "."
 *     block      = [ "const" name "=" number { "," name "=" number } ";" ]
 *                  [ "var" name { "," name } ";" ] { "procedure" name ";" block ";" } statement
 *     statement  = name ":=" expression | "call" name | "begin" statement { ";" statement } "end"
 *                  | "if" condition "then" statement | "while" condition "do" statement
 *     condition  = "odd" expression | expression ( "=" | relation ) expression
 *     expression = [ sign ] term { sign term }
 *     term       = factor { operation factor }
 *     factor     = name | number | "(" expression ")"
 *
 * No name has to be declared. Every token has a way of its own through the parser, so that each valid
 * sequence of tokens is one path. A text that is no program, or has more than TOKENS tokens, is no
 * input.
 */
#include <stdlib.h>

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
    int tokens;       /* how many there were, with the end of the text */
};

static _Noreturn void fail(void)
{
    ATTEST_ASSUME(0);
    _Exit(1);
}

/* Goes on to the next token; behind as many as there may be, to the end of the text. */
static void advance(struct parser *parser)
{
    parser->token = lex(&parser->lexer);
    if (parser->tokens == TOKENS)
        ATTEST_ASSUME(parser->token == END_OF_TEXT);
    parser->tokens++;
}

/* Goes past the token if it is this one; whether it was. */
static _Bool accept(struct parser *parser, enum token token)
{
    if (parser->token != token)
        return 0;
    advance(parser);
    return 1;
}

static void expect(struct parser *parser, enum token token)
{
    if (parser->token != token)
        fail();
    advance(parser);
}

static void expression(struct parser *parser);

static void factor(struct parser *parser)
{
    switch (parser->token) {
    case NAME:
    case NUMBER:
        advance(parser);
        break;
    case OPEN:
        advance(parser);
        expression(parser);
        expect(parser, CLOSE);
        break;
    default:
        fail();
    }
}

static void term(struct parser *parser)
{
    do
        factor(parser);
    while (accept(parser, OPERATION));
}

static void expression(struct parser *parser)
{
    accept(parser, SIGN);
    do
        term(parser);
    while (accept(parser, SIGN));
}

static void condition(struct parser *parser)
{
    if (accept(parser, ODD)) {
        expression(parser);
        return;
    }
    expression(parser);
    switch (parser->token) {
    case EQUAL:
    case RELATION:
        advance(parser);
        break;
    default:
        fail();
    }
    expression(parser);
}

static void statement(struct parser *parser)
{
    switch (parser->token) {
    case NAME:
        advance(parser);
        expect(parser, ASSIGN);
        expression(parser);
        break;
    case CALL:
        advance(parser);
        expect(parser, NAME);
        break;
    case BEGIN:
        do {
            advance(parser);
            statement(parser);
        } while (parser->token == SEMICOLON);
        expect(parser, END);
        break;
    case IF:
        advance(parser);
        condition(parser);
        expect(parser, THEN);
        statement(parser);
        break;
    case WHILE:
        advance(parser);
        condition(parser);
        expect(parser, DO);
        statement(parser);
        break;
    default:
        fail();
    }
}

static void constants(struct parser *parser)
{
    do {
        expect(parser, NAME);
        expect(parser, EQUAL);
        expect(parser, NUMBER);
    } while (accept(parser, COMMA));
    expect(parser, SEMICOLON);
}

static void variables(struct parser *parser)
{
    do
        expect(parser, NAME);
    while (accept(parser, COMMA));
    expect(parser, SEMICOLON);
}

static void block(struct parser *parser)
{
    if (accept(parser, CONST))
        constants(parser);
    if (accept(parser, VAR))
        variables(parser);
    while (accept(parser, PROCEDURE)) {
        expect(parser, NAME);
        expect(parser, SEMICOLON);
        block(parser);
        expect(parser, SEMICOLON);
    }
    statement(parser);
}

/* How many tokens the program has. */
int pl0(void)
{
    char text[TEXT_SIZE];
    struct parser parser = {.lexer = {.text = text}};

    ATTEST_INPUT(text);
    text[TEXT_SIZE - 1] = '\0';
    advance(&parser);
    block(&parser);
    expect(&parser, PERIOD);
    if (parser.token != END_OF_TEXT)
        fail();
    return parser.tokens;
}
