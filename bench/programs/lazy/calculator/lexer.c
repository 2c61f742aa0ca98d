/*
 * The lexer of the calculator.
 */
#include "lexer.h"

enum { MOST = 999 };

static enum token lex_number(struct lexer *lexer)
{
    int value = 0;

    while (lexer->text[lexer->at] >= '0' && lexer->text[lexer->at] <= '9') {
        value = 10 * value + (lexer->text[lexer->at] - '0');
        if (value > MOST)
            return MISTAKE;
        lexer->at++;
    }
    lexer->value = value;
    return NUMBER;
}

enum token lex(struct lexer *lexer)
{
    while (lexer->text[lexer->at] == ' ')
        lexer->at++;
    if (lexer->text[lexer->at] >= '0' && lexer->text[lexer->at] <= '9')
        return lex_number(lexer);
    if (lexer->text[lexer->at] == '\0')
        return END;
    switch (lexer->text[lexer->at++]) {
    case '+':
        return PLUS;
    case '-':
        return MINUS;
    case '*':
        return TIMES;
    case '/':
        return DIVIDE;
    case '%':
        return REMAINDER;
    default:
        return MISTAKE;
    }
}
