/* Inputs that the unit declares itself: by name, and by how often that name came before. */
struct attest_input {
    const char *name;
    unsigned nth;
    const void *value;
    unsigned long size;
    unsigned calls; /* of the name; kept in its first entry */
};

static struct attest_input *attest_inputs;
static unsigned long attest_input_count;

#define ATTEST_INPUTS(array) \
    (attest_inputs = (array), attest_input_count = sizeof(array) / sizeof *(array))

static void attest_give(void *object, unsigned long size, const char *name)
{
    struct attest_input *first = NULL;
    unsigned long i;
    unsigned nth;
    attest_memset(object, 0, size);
    for (i = 0; i < attest_input_count && first == NULL; i++)
        if (attest_strcmp(attest_inputs[i].name, name) == 0)
            first = &attest_inputs[i];
    if (first == NULL)
        return;
    nth = first->calls++;
    for (; i <= attest_input_count; i++) {
        const struct attest_input *input = &attest_inputs[i - 1];
        if (input->nth == nth && attest_strcmp(input->name, name) == 0)
            attest_memcpy(object, input->value, size < input->size ? size : input->size);
    }
}
