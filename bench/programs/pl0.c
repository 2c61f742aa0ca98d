// attest: cover -f pl0 --scope file
/*
 * A lexer and a recursive-descent parser of a language like PL/0, over 20 bytes of input. No name
 * has to be declared.
 *
 *     attest cover bench/programs/pl0.c -f pl0 --scope file
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
 * The result tells a valid program by the greatest of its parts, a loop before a condition before a
 * compound statement before variables before constants, so that there is a test of each.
 *
 * Each side of each decision is reached by some text of at most 20 bytes. These do it, together:
 *
 *     const a=1,b=2;.     var a,b;a:=-1+2*3/4.   procedure p;;call p.
 *     begin;end.          if(a)<=1then.          while odd+a do.
 *     if a#1 then.        if a=1 then.           if a<1 then.
 *     if a>=1then.        if a>1 then.           a:=b-1.
 *
 * and texts with a mistake for the rest; `bench/programs/pl0.texts` lists them all.
 */
#include <string.h>

#include "attest.h"

enum { TEXT_SIZE = 20, WORD_SIZE = 10, GREATEST_NUMBER = 999 };

enum token {
    CONST, VAR, PROCEDURE, CALL, BEGIN, END, IF, THEN, WHILE, DO, ODD, /* as in the table below */
    NAME, NUMBER, ASSIGN, EQUAL, UNEQUAL, LESS, LESS_OR_EQUAL, GREATER, GREATER_OR_EQUAL,
    PLUS, MINUS, TIMES, DIVIDE, OPEN, CLOSE, COMMA, SEMICOLON, PERIOD, END_OF_TEXT, MISTAKE,
};

enum { WORDS = ODD + 1 };

static const char *const words[WORDS] = {
    "const", "var", "procedure", "call", "begin", "end", "if", "then", "while", "do", "odd",
};

struct source {
    const char *text; /* ends with a NUL, at the latest after TEXT_SIZE characters */
    int at;           /* of the first character after the token */
    enum token token; /* that is looked at */
    unsigned parts;   /* a bit for each token that was gone past */
};

static _Bool is_letter(char c)
{
    return c >= 'a' && c <= 'z';
}

static _Bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* A keyword or a name; one that is too long is a mistake. */
static enum token lex_word(struct source *source)
{
    char word[WORD_SIZE];
    int length = 0;

    while (is_letter(source->text[source->at])) {
        if (length == WORD_SIZE - 1)
            return MISTAKE;
        word[length++] = source->text[source->at++];
    }
    word[length] = '\0';
    for (int i = 0; i < WORDS; i++) {
        if (strcmp(word, words[i]) == 0)
            return (enum token)i;
    }
    return NAME;
}

/* A number; one that is too great is a mistake. */
static enum token lex_number(struct source *source)
{
    int value = 0;

    while (is_digit(source->text[source->at])) {
        value = 10 * value + (source->text[source->at++] - '0');
        if (value > GREATEST_NUMBER)
            return MISTAKE;
    }
    return NUMBER;
}

/* `longer` if an equals sign comes next, else `shorter`. */
static enum token with_equals(struct source *source, enum token longer, enum token shorter)
{
    if (source->text[source->at] != '=')
        return shorter;
    source->at++;
    return longer;
}

static enum token lex(struct source *source)
{
    while (source->text[source->at] == ' ' || source->text[source->at] == '\n')
        source->at++;
    if (is_letter(source->text[source->at]))
        return lex_word(source);
    if (is_digit(source->text[source->at]))
        return lex_number(source);
    if (source->text[source->at] == '\0')
        return END_OF_TEXT;
    switch (source->text[source->at++]) {
    case ':':
        return with_equals(source, ASSIGN, MISTAKE);
    case '<':
        return with_equals(source, LESS_OR_EQUAL, LESS);
    case '>':
        return with_equals(source, GREATER_OR_EQUAL, GREATER);
    case '=':
        return EQUAL;
    case '#':
        return UNEQUAL;
    case '+':
        return PLUS;
    case '-':
        return MINUS;
    case '*':
        return TIMES;
    case '/':
        return DIVIDE;
    case '(':
        return OPEN;
    case ')':
        return CLOSE;
    case ',':
        return COMMA;
    case ';':
        return SEMICOLON;
    case '.':
        return PERIOD;
    default:
        return MISTAKE;
    }
}

static void advance(struct source *source)
{
    source->parts |= 1u << source->token;
    source->token = lex(source);
}

/* Whether the token was gone past. */
static _Bool has(const struct source *source, enum token token)
{
    return source->parts >> token & 1;
}

/* Goes past the token if it is this one; whether it was. */
static _Bool accept(struct source *source, enum token token)
{
    if (source->token != token)
        return 0;
    advance(source);
    return 1;
}

static _Bool expression(struct source *source);

static _Bool factor(struct source *source)
{
    if (accept(source, NAME))
        return 1;
    if (accept(source, NUMBER))
        return 1;
    if (!accept(source, OPEN))
        return 0;
    if (!expression(source))
        return 0;
    return accept(source, CLOSE);
}

static _Bool term(struct source *source)
{
    do {
        if (!factor(source))
            return 0;
    } while (accept(source, TIMES) || accept(source, DIVIDE));
    return 1;
}

static _Bool expression(struct source *source)
{
    if (!accept(source, PLUS))
        accept(source, MINUS);
    do {
        if (!term(source))
            return 0;
    } while (accept(source, PLUS) || accept(source, MINUS));
    return 1;
}

static _Bool condition(struct source *source)
{
    if (accept(source, ODD))
        return expression(source);
    if (!expression(source))
        return 0;
    switch (source->token) {
    case EQUAL:
    case UNEQUAL:
    case LESS:
    case LESS_OR_EQUAL:
    case GREATER:
    case GREATER_OR_EQUAL:
        advance(source);
        return expression(source);
    default:
        return 0;
    }
}

static _Bool statement(struct source *source)
{
    switch (source->token) {
    case NAME:
        advance(source);
        return accept(source, ASSIGN) && expression(source);
    case CALL:
        advance(source);
        return accept(source, NAME);
    case BEGIN:
        do {
            advance(source);
            if (!statement(source))
                return 0;
        } while (source->token == SEMICOLON);
        return accept(source, END);
    case IF:
        advance(source);
        return condition(source) && accept(source, THEN) && statement(source);
    case WHILE:
        advance(source);
        return condition(source) && accept(source, DO) && statement(source);
    default:
        return 1;
    }
}

static _Bool constants(struct source *source)
{
    do {
        if (!accept(source, NAME) || !accept(source, EQUAL) || !accept(source, NUMBER))
            return 0;
    } while (accept(source, COMMA));
    return accept(source, SEMICOLON);
}

static _Bool variables(struct source *source)
{
    do {
        if (!accept(source, NAME))
            return 0;
    } while (accept(source, COMMA));
    return accept(source, SEMICOLON);
}

static _Bool block(struct source *source)
{
    if (accept(source, CONST) && !constants(source))
        return 0;
    if (accept(source, VAR) && !variables(source))
        return 0;
    while (accept(source, PROCEDURE)) {
        if (!accept(source, NAME) || !accept(source, SEMICOLON))
            return 0;
        if (!block(source) || !accept(source, SEMICOLON))
            return 0;
    }
    return statement(source);
}

enum verdict { INVALID, PLAIN, CONSTANTS, VARIABLES, COMPOUND, CONDITION, LOOP };

static enum verdict verdict(const struct source *source)
{
    if (has(source, WHILE))
        return LOOP;
    if (has(source, IF))
        return CONDITION;
    if (has(source, BEGIN))
        return COMPOUND;
    if (has(source, VAR))
        return VARIABLES;
    if (has(source, CONST))
        return CONSTANTS;
    return PLAIN;
}

static _Bool parse(struct source *source)
{
    advance(source);
    if (!block(source))
        return 0;
    return accept(source, PERIOD);
}

/* Whether the input is a valid program, and which. What comes after its period does not matter. */
enum verdict pl0(void)
{
    char text[TEXT_SIZE + 1];
    struct source source = {.text = text, .token = END_OF_TEXT};

    ATTEST_INPUT(text);
    text[TEXT_SIZE] = '\0';
    if (!parse(&source))
        return INVALID;
    return verdict(&source);
}
