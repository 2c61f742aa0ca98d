/*
 * A calculator of the shape of the one in table 2 of the LATEST paper: numbers with operations between
 * them, evaluated from left to right, at most OPERATIONS of them; what comes then is not looked at.
 *
 *     attest cover calculator.c lexer.c -f calculator --scope file --criterion unit-paths -- -DOPERATIONS=2
 *
 *     input = number { ( "+" | "-" | "*" | "/" | "%" ) number }
 *
 * The operations are the paths of the calculator, so that there are 5^k valid inputs with k operations.
 * How numbers are written is the lexer's business, which has its own file.
 */
#include "attest.h"
#include "lexer.h"

#ifndef OPERATIONS
#define OPERATIONS 1
#endif

enum { SIZE = 4 * OPERATIONS + 4, MOST = 999 };

enum verdict { VALID, NO_NUMBER, NO_OPERATION };

/* The value so far with one more operation. A divisor is made odd, so that it is never zero. */
static int operate(int left, enum token operation, int right)
{
    switch (operation) {
    case PLUS:
        return left + right;
    case MINUS:
        return left - right;
    case TIMES:
        return left % MOST * (right % MOST);
    case DIVIDE:
        return left / (right | 1);
    default:
        return left % (right | 1);
    }
}

/* Whether the input is valid. */
enum verdict calculator(void)
{
    char text[SIZE];
    struct lexer lexer = {.text = text};

    ATTEST_INPUT(text);
    text[SIZE - 1] = '\0';
    if (lex(&lexer) != NUMBER)
        return NO_NUMBER;
    int value = lexer.value;
    for (int operations = 0; operations < OPERATIONS; operations++) {
        enum token operation = lex(&lexer);
        if (operation == END)
            break;
        if (operation == NUMBER || operation == MISTAKE)
            return NO_OPERATION;
        if (lex(&lexer) != NUMBER)
            return NO_NUMBER;
        value = operate(value, operation, lexer.value);
    }
    return VALID;
}
