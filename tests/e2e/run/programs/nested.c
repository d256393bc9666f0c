// expect:
// The counterexample of 10.2: the sections of the inner lock look independent, those of the outer one are not.
#include "turns.h"
MUTEX(m);
MUTEX(n);
static int *x, b;
static void *one(void *a) { LOCK(n); LOCK(m); *x = 1; b = 1; UNLOCK(m); UNLOCK(n); done(1); return a; }
static void *two(void *a) { turn(1); LOCK(n); LOCK(m); free(x); UNLOCK(m); int v = b; UNLOCK(n); return v ? a : NULL; }
int main(void) { x = malloc(sizeof(*x)); both(one, two); return 0; }
