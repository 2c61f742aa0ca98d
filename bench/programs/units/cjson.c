/*
 * cJSON's parser on a text of at most 15 characters; what it accepts is printed and compared.
 */
#include "cJSON.c"

#include "attest.h"

enum { TEXT_SIZE = 16 };

int cjson(void)
{
    char text[TEXT_SIZE];
    int same = 0;

    ATTEST_INPUT(text);
    text[TEXT_SIZE - 1] = '\0';
    cJSON_InitHooks(NULL);
    cJSON *value = cJSON_Parse(text);
    if (!value)
        return -1;
    char *printed = cJSON_PrintUnformatted(value);
    char *formatted = cJSON_Print(value);
    if (printed && strcmp(printed, text) == 0)
        same = 1;
    cJSON *copy = cJSON_Duplicate(value, 1);
    if (copy && !cJSON_Compare(value, copy, 1))
        same = -2;
    cJSON_free(printed);
    cJSON_free(formatted);
    cJSON_Delete(copy);
    cJSON_Delete(value);
    return same;
}
