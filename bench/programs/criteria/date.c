/* The day of the year of a date, or 0 if there is no such date. */
static int is_leap(int year)
{
    return (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
}

static int days_in(int month, int year)
{
    switch (month) {
    case 2:
        return is_leap(year) ? 29 : 28;
    case 4:
    case 6:
    case 9:
    case 11:
        return 30;
    default:
        return 31;
    }
}

int date(int year, int month, int day)
{
    int result = 0;

    if (year < 1583 || year > 9999 || month < 1 || month > 12 || day < 1)
        return 0;
    if (day > days_in(month, year))
        return 0;
    for (int before = 1; before < month; before++)
        result += days_in(before, year);
    return result + day;
}
