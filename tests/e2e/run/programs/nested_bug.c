// expect: use-after-free:predicted
// The same without the dependency in the outer lock's sections.
#include "turns.h"
MUTEX(m);
MUTEX(n);
static int *x, b, c;
static void *one(void *a) { LOCK(n); LOCK(m); *x = 1; b = 1; UNLOCK(m); UNLOCK(n); done(1); return a; }
static void *two(void *a) { turn(1); LOCK(n); LOCK(m); free(x); UNLOCK(m); int v = c; UNLOCK(n); return v ? a : NULL; }
int main(void) { x = malloc(sizeof(*x)); both(one, two); return 0; }
