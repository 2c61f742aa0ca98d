
#define ATTEST@ARGUMENTS(function, array) \
    (attest@arguments_##function.expected = (array), \
     attest@arguments_##function.count = sizeof(array) / sizeof *(array))
#undef IS
#define IS(value) {ATTEST@NUMBER, #value, (unsigned long long)(value), NULL, 0, 0}
#undef IS_NULL
#define IS_NULL() {ATTEST@POINTER, "NULL", 0, NULL, 0, 0}
#undef IS_POINTER
#define IS_POINTER(address) {ATTEST@POINTER, #address, 0, (const void *)(address), 0, 0}
#undef IS_NOT_NULL
#define IS_NOT_NULL() {ATTEST@NO_NULL, "a valid pointer", 0, NULL, 0, 0}
#undef IS_TEXT
#define IS_TEXT(text) {ATTEST@CHARACTERS, #text, 0, text, 0, 0}
/* A pointer to bytes, so many bytes after where it points. */
#undef IS_BYTES
#define IS_BYTES(offset, bytes) {ATTEST@BYTES, #bytes, 0, bytes, sizeof(bytes) - 1, offset}
/* Where the pointers lie that lead from an argument to what is checked. */
#undef BEHIND
#define BEHIND(first) {first, 0}, 1
#undef BEHIND_TWO
#define BEHIND_TWO(first, second) {first, second}, 2
#undef CHECK_CALLS
#define CHECK_CALLS(function, count) \
    attest@check(attest@arguments_##function.made == (count), "the number of calls of " #function, \
                 #count, (long long)attest@arguments_##function.made, __LINE__)
