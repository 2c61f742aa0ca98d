/*
 * attest.h: how code tells attest what its inputs are and what it expects.
 *
 *     #include "attest.h"
 *
 *     int main(void)
 *     {
 *         unsigned month;
 *         ATTEST_INPUT(month);
 *         ATTEST_ASSUME(month >= 1);
 *         ATTEST_ASSUME(month <= 12);
 *         ATTEST_ASSERT(days_in_month(month) >= 28);
 *     }
 *
 * `attest cover` puts this header on the include path and defines __ATTEST__. The header is
 * self-contained, so a project may also keep a copy of it: in an ordinary build, where __ATTEST__
 * is not defined, inputs keep the values that they have, assumptions do nothing, and assertions
 * are those of assert.h.
 *
 * Parameters of the function under test, the globals that it reads and the results of functions
 * without a body are inputs already; they need no macro.
 *
 * The tests that attest writes define __ATTEST__ and the first three functions below, which hand out
 * the values of the test. None of the macros adds a decision to the code that uses it.
 */
#ifndef ATTEST_H
#define ATTEST_H

#ifdef __ATTEST__

/* What the macros call; not for direct use. */
void __attest_input(void *object, unsigned long size, const char *name);
void __attest_assume(int condition);
void __attest_assert(int condition, const char *text);

/*
 * ATTEST_INPUT(x): from here on the object x (a variable, a member, an element, a whole array or
 * struct) holds an input, any value of its type. May be used several times, also in loops: each use
 * is a new input. A pointer inside becomes NULL or points to a new object.
 */
#define ATTEST_INPUT(x) __attest_input((void *)&(x), sizeof(x), #x)

/*
 * ATTEST_INPUT_ARRAY(p, n): the n elements from where the pointer p points become inputs. The
 * memory must exist already.
 */
#define ATTEST_INPUT_ARRAY(p, n) __attest_input((void *)(p), (n) * sizeof *(p), #p)

/*
 * ATTEST_ASSUME(c): only inputs for which c is true here are of interest. A path on which it is
 * false is given up; it is no test and no defect.
 */
#define ATTEST_ASSUME(c) __attest_assume((c) != 0)

/*
 * ATTEST_ASSERT(c): c must be true here. attest looks for an input for which it is not, and reports
 * it as a failed assertion.
 */
#define ATTEST_ASSERT(c) __attest_assert((c) != 0, #c)

/*
 * ATTEST_LABEL(id, c): under `--criterion labels`, a goal that is reached where c is true here. The
 * id is a name of your own, used once.
 */
static __inline__ void __attest_label(const char *name __attribute__((__unused__)),
                                      int condition __attribute__((__unused__)))
{
}
#define ATTEST_LABEL(id, c) __attest_label(#id, (c) != 0)

#else

#include <assert.h>

#define ATTEST_INPUT(x) ((void)&(x))
#define ATTEST_INPUT_ARRAY(p, n) ((void)(p), (void)(n))
#define ATTEST_ASSUME(c) ((void)sizeof((c) != 0))
#define ATTEST_ASSERT(c) assert(c)
#define ATTEST_LABEL(id, c) ((void)sizeof((c) != 0))

#endif

#endif
