// attest: cover -f maximum_of_readings --scope file --no-replay
/*
 * A program reads up to 100,000 readings and keeps the largest and the smallest with their indices
 * while it reads. A second loop compares each reading with them: none is outside, and the kept
 * indices lead to readings that are equal to the kept values.
 */
int input(void);

enum { MOST = 100000 };

int maximum_of_readings(unsigned length)
{
    int readings[MOST];
    int largest;
    int smallest;
    unsigned at_largest = 0;
    unsigned at_smallest = 0;
    unsigned equal = 0;

    if (length == 0 || length > MOST) { //~ T covered, F covered
        return 0;
    }
    readings[0] = input();
    largest = readings[0];
    smallest = readings[0];
    for (unsigned i = 1; i < length; i++) { //~ T covered, F covered
        readings[i] = input();
        if (readings[i] > largest) { //~ T covered, F covered
            largest = readings[i];
            at_largest = i;
        } else if (readings[i] < smallest) { //~ T covered, F covered
            smallest = readings[i];
            at_smallest = i;
        }
    }
    if (smallest > largest) { //~ T unreachable, F covered
        return -1;
    }
    for (unsigned i = 0; i < length; i++) { //~ T covered, F covered
        if (readings[i] > largest) { //~ T unreachable, F covered
            return -2;
        }
        if (readings[i] < smallest) { //~ T unreachable, F covered
            return -3;
        }
        if (readings[i] == largest) { //~ T covered, F covered
            if (i < at_largest) { //~ T unreachable, F covered
                return -4;
            }
            equal++;
        }
    }
    if (equal == 0) { //~ T unreachable, F covered
        return -5;
    }
    if (readings[at_smallest] != smallest) { //~ T unreachable, F covered
        return -6;
    }
    if (at_largest > 20 && at_smallest > at_largest) { //~ T covered, F covered
        return 1;
    }
    return equal >= 3 ? 2 : 3; //~ T covered, F covered
}
