/* Evaluates three numbers with two operators between them; products and quotients bind closer. */
static int apply(int left, char operator, int right, int *failed)
{
    switch (operator) {
    case '+':
        return left + right;
    case '-':
        return left - right;
    case '*':
        return left * right;
    case '/':
        if (right == 0) {
            *failed = 1;
            return 0;
        }
        return left / right;
    default:
        *failed = 2;
        return 0;
    }
}

static int binds_closer(char operator)
{
    return operator == '*' || operator == '/';
}

int evaluate(signed char a, char first, signed char b, char second, signed char c)
{
    int failed = 0, result;

    if (binds_closer(second) && !binds_closer(first))
        result = apply(a, first, apply(b, second, c, &failed), &failed);
    else
        result = apply(apply(a, first, b, &failed), second, c, &failed);
    if (failed)
        return -10000 - failed;
    if (result < 0 && (first == '-' || second == '-'))
        return -1;
    return result > 100 ? 100 : result;
}
