/* Tokens of the calculator's input. */
#ifndef LEXER_H
#define LEXER_H

enum token { END, NUMBER, PLUS, MINUS, TIMES, DIVIDE, REMAINDER, MISTAKE };

struct lexer {
    const char *text; /* ends with a NUL */
    int at;           /* of the first character after the token */
    int value;        /* of the last number */
};

/* The next token. */
enum token lex(struct lexer *lexer);

#endif
