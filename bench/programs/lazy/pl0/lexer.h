/* Tokens of PL/0. */
#ifndef LEXER_H
#define LEXER_H

enum token {
    CONST, VAR, PROCEDURE, CALL, BEGIN, END, IF, THEN, WHILE, DO, ODD, /* as in the lexer's table */
    NAME, NUMBER, ASSIGN, EQUAL, RELATION, SIGN, OPERATION, OPEN, CLOSE, COMMA, SEMICOLON, PERIOD,
    END_OF_TEXT, MISTAKE,
};

struct lexer {
    const char *text; /* ends with a NUL */
    int at;           /* of the first character after the token */
    char symbol;      /* the first character of the token */
    int value;        /* of the last number */
};

/* The next token. */
enum token lex(struct lexer *lexer);

#endif
