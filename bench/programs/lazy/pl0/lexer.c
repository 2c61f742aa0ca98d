/*
 * The lexer of PL/0.
 */
#include <string.h>

#include "lexer.h"

enum { WORD_SIZE = 10, GREATEST_NUMBER = 999 };

enum { WORDS = ODD + 1 };

static const char *const words[WORDS] = {
    "const", "var", "procedure", "call", "begin", "end", "if", "then", "while", "do", "odd",
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
static enum token lex_word(struct lexer *lexer)
{
    char word[WORD_SIZE];
    int length = 0;

    while (is_letter(lexer->text[lexer->at])) {
        if (length == WORD_SIZE - 1)
            return MISTAKE;
        word[length++] = lexer->text[lexer->at++];
    }
    word[length] = '\0';
    for (int i = 0; i < WORDS; i++) {
        if (strcmp(word, words[i]) == 0)
            return (enum token)i;
    }
    return NAME;
}

/* A number; one that is too great is a mistake. */
static enum token lex_number(struct lexer *lexer)
{
    int value = 0;

    while (is_digit(lexer->text[lexer->at])) {
        value = 10 * value + (lexer->text[lexer->at++] - '0');
        if (value > GREATEST_NUMBER)
            return MISTAKE;
    }
    lexer->value = value;
    return NUMBER;
}

/* `token`, whose equals sign is gone by if there is one. */
static enum token with_equals(struct lexer *lexer, enum token token)
{
    if (lexer->text[lexer->at] == '=')
        lexer->at++;
    return token;
}

enum token lex(struct lexer *lexer)
{
    while (lexer->text[lexer->at] == ' ' || lexer->text[lexer->at] == '\n')
        lexer->at++;
    lexer->symbol = lexer->text[lexer->at];
    if (is_letter(lexer->symbol))
        return lex_word(lexer);
    if (is_digit(lexer->symbol))
        return lex_number(lexer);
    if (lexer->symbol == '\0')
        return END_OF_TEXT;
    lexer->at++;
    switch (lexer->symbol) {
    case ':':
        if (lexer->text[lexer->at] != '=')
            return MISTAKE;
        lexer->at++;
        return ASSIGN;
    case '<':
    case '>':
        return with_equals(lexer, RELATION);
    case '=':
        return EQUAL;
    case '#':
        return RELATION;
    case '+':
    case '-':
        return SIGN;
    case '*':
    case '/':
        return OPERATION;
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
