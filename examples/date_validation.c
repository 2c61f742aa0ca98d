// attest: cover -f date_check
/*
 * Validation of calendar dates in the Gregorian calendar.
 */
#include <stdbool.h>

enum date_error {
    DATE_OK,
    DATE_BAD_YEAR,
    DATE_BAD_MONTH,
    DATE_BAD_DAY,
};

/* The first full year of the Gregorian calendar, and the last that prints with four digits. */
enum { FIRST_YEAR = 1583, LAST_YEAR = 9999 };

bool date_is_leap_year(int year)
{
    return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
}

/* Says what is wrong with a date, the largest unit first. */
enum date_error date_check(int year, int month, int day)
{
    int last;

    if (year < FIRST_YEAR || year > LAST_YEAR) //~ T covered, F covered
        return DATE_BAD_YEAR;
    if (month < 1 || month > 12) //~ T covered, F covered
        return DATE_BAD_MONTH;

    switch (month) {
    case 2: //~ case 2 covered
        last = date_is_leap_year(year) ? 29 : 28; //~ T covered, F covered
        break;
    case 4:  //~ case 4 covered
    case 6:  //~ case 6 covered
    case 9:  //~ case 9 covered
    case 11: //~ case 11 covered
        last = 30;
        break;
    default: //~ default covered
        last = 31;
        break;
    }
    if (day < 1 || day > last) //~ T covered, F covered
        return DATE_BAD_DAY;
    /* Holds for every month: a belt to the braces above, and attest proves it redundant. */
    if (day > 31) //~ T unreachable, F covered
        return DATE_BAD_DAY;
    return DATE_OK;
}
