/* Tokens of PL/0. */
#ifndef LEXER_H
#define LEXER_H

enum token {
    CONST, VAR, PROCEDURE, CALL, BEGIN, END, IF, THEN, WHILE, DO, ODD, /* as in the lexer's table */
    NAME, NUMBER, ASSIGN, EQUAL, UNEQUAL, LESS, LESS_OR_EQUAL, GREATER, GREATER_OR_EQUAL,
    PLUS, MINUS, TIMES, DIVIDE, OPEN, CLOSE, COMMA, SEMICOLON, PERIOD, END_OF_TEXT, MISTAKE,
};

struct lexer {
    const char *text; /* ends with a NUL */
    int at;           /* of the first character after the token */
};

/* The next token. */
enum token lex(struct lexer *lexer);

#endif
