#include "callees.h"
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum color { RED, GREEN = 4, BLUE };
enum { OFF = 0, ON = 1, LEVEL = 2 };
struct s {
    int a;
    unsigned char b;
    unsigned c : 3;
    signed d : 5;
    short t[3];
    struct s *next;
    int *p;
    uintptr_t h;
    union { int i; short w[2]; unsigned char y[4]; } u;
};
int g0;
unsigned char g1;
static int s0;
static int s1 = 2;
const int k0 = 3;
static const int no = 0;
short arr[3];
struct s rec;
int *gp;
struct s *sp;
extern int e0;
extern short earr[];
volatile int vol;
static uintptr_t tab[2];
static int ntab;
int a1[2], a2[2];
int real0;
extern int also0 __attribute__((alias("real0")));
static const char *const names[] = {"a", "bc"};
const char *name(int i) { return names[i & 1]; }
void set_s0(int v) { s0 = v; }
void add(struct s *x) { if (ntab < 2) tab[ntab++] = (uintptr_t)x; }
void forget(void) { ntab = 0; }
int twice(int x) { return x < 1000 && x > -1000 ? 2 * x : 0; }
int ext0(int);
int ext_out(int *);
void ext_show(const struct s *);
void ext_keep(int *);
struct s *ext_get(void);
void ext_fill(unsigned char *, unsigned);
extern int maybe(int) __attribute__((weak));
