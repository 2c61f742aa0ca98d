// attest: cover -f subtractive_gcd --scope file --no-replay
/*
 * A loop takes the smaller of two numbers from the larger one until they are equal, and keeps both
 * as sums of multiples of the first two. Both numbers start as positive multiples of six and a
 * difference of such numbers is one, so the result divides by six, is not zero and has not grown.
 */
enum { LARGEST = 5000, COMMON = 6 };

int subtractive_gcd(unsigned a, unsigned b)
{
    unsigned x;
    unsigned y;
    unsigned x_of_a = COMMON; /* x is x_of_a * a + x_of_b * b, without regard to wraps */
    unsigned x_of_b = 0;
    unsigned y_of_a = 0;
    unsigned y_of_b = COMMON;
    unsigned rounds = 0;

    if (a == 0 || a > LARGEST || b == 0 || b > LARGEST) { //~ T covered, F covered
        return 0;
    }
    x = COMMON * a;
    y = COMMON * b;
    while (x != y) { //~ T covered, F covered
        if (x > y) { //~ T covered, F covered
            x -= y;
            x_of_a -= y_of_a;
            x_of_b -= y_of_b;
        } else {
            y -= x;
            y_of_a -= x_of_a;
            y_of_b -= x_of_b;
        }
        rounds++;
    }
    if (x % COMMON != 0) { //~ T unreachable, F covered
        return -1;
    }
    if (x == 0) { //~ T unreachable, F covered
        return -2;
    }
    if (x > COMMON * a || y > COMMON * b) { //~ T unreachable, F covered
        return -3;
    }
    if (x != x_of_a * a + x_of_b * b) { //~ T unreachable, F covered
        return -4;
    }
    if (x_of_a % 2 != 0) { //~ T unreachable, F covered
        return -5;
    }
    if (rounds >= 100) { //~ T covered, F covered
        return 1;
    }
    return x == COMMON && rounds > 5 ? 2 : 3; //~ T covered, F covered
}
