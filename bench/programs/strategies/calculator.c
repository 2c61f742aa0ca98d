/*
 * A calculator: an expression of numbers, the four operations and parentheses, evaluated as it is
 * read. Goals on values that only whole valid expressions have.
 *
 *     attest cover bench/programs/strategies/calculator.c -f calculator --scope file
 */
#include "attest.h"

enum { SIZE = 10, MOST = 9999, MOST_DEPTH = 2 };

enum failure { NONE, NOT_A_FACTOR, NOT_CLOSED, TOO_GREAT, TOO_DEEP, BY_ZERO, TRAILING };

struct calculator {
    const char *next;
    enum failure failure;
    int depth;
};

static int expression(struct calculator *calculator);

static int fail(struct calculator *calculator, enum failure failure)
{
    if (calculator->failure == NONE) {
        calculator->failure = failure;
    }
    return 0;
}

static int limited(struct calculator *calculator, int value)
{
    if (value > MOST || value < -MOST) {
        return fail(calculator, TOO_GREAT);
    }
    return value;
}

static int number(struct calculator *calculator)
{
    int value = 0;

    while (*calculator->next >= '0' && *calculator->next <= '9') {
        value = limited(calculator, 10 * value + (*calculator->next - '0'));
        calculator->next++;
    }
    return value;
}

static int factor(struct calculator *calculator)
{
    char c = *calculator->next;

    if (c >= '0' && c <= '9') {
        return number(calculator);
    }
    if (c == '(') {
        calculator->next++;
        if (calculator->depth == MOST_DEPTH) {
            return fail(calculator, TOO_DEEP);
        }
        calculator->depth++;
        int value = expression(calculator);
        calculator->depth--;
        if (*calculator->next != ')') {
            return fail(calculator, NOT_CLOSED);
        }
        calculator->next++;
        return value;
    }
    return fail(calculator, NOT_A_FACTOR);
}

static int term(struct calculator *calculator)
{
    int value = factor(calculator);

    while (*calculator->next == '*' || *calculator->next == '/') {
        char operation = *calculator->next++;
        int right = factor(calculator);
        if (calculator->failure != NONE) {
            return 0;
        }
        if (operation == '*') {
            value = limited(calculator, value * right);
        } else {
            if (right == 0) {
                return fail(calculator, BY_ZERO);
            }
            value = value / right;
        }
    }
    return value;
}

static int expression(struct calculator *calculator)
{
    int value = term(calculator);

    while (*calculator->next == '+' || *calculator->next == '-') {
        char operation = *calculator->next++;
        int right = term(calculator);
        if (calculator->failure != NONE) {
            return 0;
        }
        if (operation == '+') {
            value = limited(calculator, value + right);
        } else {
            value = limited(calculator, value - right);
        }
    }
    return value;
}

int calculator(void)
{
    char text[SIZE];
    struct calculator calculator = {text, NONE, 0};

    ATTEST_INPUT(text);
    text[SIZE - 1] = '\0';
    int value = expression(&calculator);
    if (*calculator.next != '\0') {
        fail(&calculator, TRAILING);
    }
    if (calculator.failure != NONE) {
        return -(int)calculator.failure;
    }
    if (value == 391) {
        return 1;
    }
    if (value < -5000) {
        return 2;
    }
    return 0;
}
