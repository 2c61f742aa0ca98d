// attest: cover -f date_difference
/*
 * Days between two dates of the Gregorian calendar: civil days, in which leap seconds play no part.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stddef.h>

struct date {
    uint16_t year; /* from 1 */
    uint8_t month; /* 1 to 12 */
    uint8_t day;   /* 1 to 31 */
};

enum { LAST_YEAR = 9999 };

static bool is_leap_year(unsigned year)
{
    return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
}

static unsigned days_in_month(unsigned year, unsigned month)
{
    static const uint8_t days[12] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};

    if (month == 2 && is_leap_year(year))
        return 29;
    return days[month - 1];
}

static bool is_valid(struct date date)
{
    if (date.year < 1 || date.year > LAST_YEAR || date.month < 1 || date.month > 12)
        return false;
    return date.day >= 1 && date.day <= days_in_month(date.year, date.month);
}

/* Days since the 1st of January of the year 1, which is day 0. */
static unsigned day_number(struct date date)
{
    static const uint16_t days_before[12] = {0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334};
    unsigned past = date.year - 1u;
    unsigned number = past * 365 + past / 4 - past / 100 + past / 400;

    number += days_before[date.month - 1u];
    if (date.month > 2 && is_leap_year(date.year))
        number++;
    return number + date.day - 1;
}

/* Stores how many days `to` is after `from`, negative if it is before. False for no dates. */
bool date_difference(struct date from, struct date to, int32_t *days)
{
    if (days == NULL) //~ T covered, F covered
        return false;
    if (!is_valid(from) || !is_valid(to)) //~ T covered, F covered
        return false;

    unsigned start = day_number(from);
    unsigned end = day_number(to);
    if (start <= end) //~ T covered, F covered
        *days = (int32_t)(end - start);
    else
        *days = -(int32_t)(start - end);
    return true;
}
