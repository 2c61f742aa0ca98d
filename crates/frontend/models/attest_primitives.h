/*
 * The primitives of attest's machine that the models of library functions stand on.
 *
 * The machine knows these functions by name; no unit defines them. The models themselves are
 * ordinary C: what they branch on is explored like the code of the user.
 */
#ifndef ATTEST_PRIMITIVES_H
#define ATTEST_PRIMITIVES_H

/* A new heap object of `size` indeterminate bytes; never fails. */
void *__attest_allocate(unsigned long size);
/* The same, at a multiple of `alignment`, a power of two. */
void *__attest_allocate_aligned(unsigned long size, unsigned long alignment);
/* A new heap object of `size` zero bytes; never fails. */
void *__attest_allocate_zeroed(unsigned long size);
/* Ends the life of a heap object; every misuse is a defect. NULL is allowed. */
void __attest_free(void *object);
/* The size in bytes of a heap object; every misuse is a defect. */
unsigned long __attest_allocated_size(const void *object);
/* Whether both pointers point into the same object; never depends on addresses. */
int __attest_same_object(const void *left, const void *right);
/* An input: whether the next allocation fails. */
int __attest_allocation_fails(void);
/* Whether the value depends on the inputs. The answer itself does not. */
int __attest_is_symbolic(unsigned long value);
/* Copies bytes as memmove does, with all that the machine knows about them. */
void __attest_copy(void *to, const void *from, unsigned long size);
/* Sets bytes as memset does. */
void __attest_fill(void *to, int byte, unsigned long size);
/* Gives up the execution, as not worth a test, if the condition is false. */
void __attest_assume(int condition);
/* Reports a failed assertion if the condition is false. */
void __attest_assert(int condition, const char *text);
/* Makes the bytes inputs. */
void __attest_input(void *object, unsigned long size, const char *name);
/* Reads bytes for nothing but what may be wrong with that; they need not be initialised. */
void __attest_read(const void *object, unsigned long size);
/* Reports that a library function got objects that overlap and must not, parts of one object. */
void __attest_overlapping(const char *message, const void *object);
/* Reports that a library function got an argument it does not allow. */
void __attest_invalid_argument(const char *message);
/* The same, where the argument is NULL and must not be. */
void __attest_null_argument(const char *message);
/*
 * Notes that the model is narrower here than C's function, which could do something else: what
 * is not reached after it is unreachable within this bound only.
 */
void __attest_narrow_model(const char *what);
/* The same, where the compiled function does not do what the model does. */
void __attest_untested_model(const char *what);
/* Notes that `errno` may have been set, though the model leaves it alone. */
void __attest_narrow_error_number(void);
/*
 * Notes that the model is of the locale "C" alone, and that another one would matter if the argument is
 * not 0. The search asks whether it can be.
 */
void __attest_locale(int matters);
/* Ends the program abnormally. */
_Noreturn void __attest_abort(void);

#endif
