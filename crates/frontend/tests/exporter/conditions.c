/* Conditions in all the positions that clang's coverage mapping delimits. */
#include <assert.h>
#include <ctype.h>

#define BOTH(a, b) ((a) && (b))
#define IS(x) (x)
#define NEST(p, q) (BOTH(p, q) || IS(q))
#define CHECK(c) do { if (!(c)) return -1; } while (0)
#define MIN(a, b) ((a) < (b) ? (a) : (b))
#define LIMIT 10
#define OPEN if (
#define CAT(a, b) a##b
#define CALL(m) m(1, xyz)
#define FOREACH(i, n) for (int i = 0; i < (n); i++)
#define CASE(v) case v:
#define EMPTY
#define TRUE 1

int g;
static inline int helper(int v) { return v > 3 && v < 9; }
enum { K = 20 };

int xyz(int a, int b) {
  int ab = a * b;
  if (a) g++;
  if ((a) && !(b)) g--;
  if (!!a || !((b))) g++;
  while ((b > 0)) b--;
  do { b++; } while (b < 3 && a);
  for (;;) break;
  for (int i = 0; i < LIMIT && (i != a); i++) g += i;
  g = a ? b : g;
  g = a ?: b;
  g = (a > 1) && (b > 2);
  g = !(a || b);
  if (BOTH(a, b)) g++;
  if (BOTH(a > 1 && b, (b))) g++;
  if (NEST(a, b)) g++;
  if (NEST(a > g, b) && IS(a)) g++;
  CHECK(a < 100);
  CHECK(a < 100 && b < 100);
  g = MIN(a, b);
  g = MIN(MIN(a, b), g);
  OPEN a) g++;
  if (a + LIMIT) g++;
  if (LIMIT + a) g++;
  if (a > LIMIT && LIMIT > b) g++;
  if (CAT(a, ) && CAT(, b)) g++;
  if (CAT(a, b) && a) g++;
  if (CAT(a, b) > 3 && a) g++;
  if (3 < CAT(a, b) && a) g++;
  if (IS(CAT(a, b)) && a) g++;
  if (CALL(BOTH)) g++;
  FOREACH(j, a) if (j == b) break;
  if (TRUE) g++;
  while (TRUE) { if (a++ > 5) break; }
  if (1 && a) g++;
  if (a && sizeof(int) == 4) g++;
  switch (a) { case 1: g++; break; case 2 ... 4: case K: break; }
  switch (b) { case 1: g++; break; CASE(7) g++; break; default: g--; }
  switch (a) { case 3: if (a) default: g++; }
  if ((long)a) g++;
  if (__builtin_expect(!!(a), 0)) g++;
  if (__builtin_expect(a > 1 && b, 0)) g++;
  if ((g = a, b)) g++;
  if (({ int t = a && b; t; })) g++;
  if (helper(a) || helper(a ? b : g)) g++;
  assert(a < 1000);
  if (isdigit(a) && FLAG) g++;
  if (!isalpha(a) || isalpha(b) + 1) g++;
  if (a EMPTY && b EMPTY) g++;
  if (_Generic(a, int: a, default: b)) g++;
  if (__extension__ (a)) g++;
  if ((a && b) == (g || a)) g++;
  return a && (b || g) ? a > 1 : !(a && b);
}

int main(int argc, char **argv) { return xyz(argc, argv != 0) && 0; }
