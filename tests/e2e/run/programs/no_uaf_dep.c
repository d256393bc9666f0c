// expect:
// NO-UAF-DEP (Fig. 3.3): the section that frees also clears what the other section asks.
#include "turns.h"
MUTEX(m);
static int *x, y = 1;
static void *one(void *a) { LOCK(m); if (y) *x = 1; UNLOCK(m); done(1); return a; }
static void *two(void *a) { turn(1); LOCK(m); free(x); y = 0; UNLOCK(m); return a; }
int main(void) { x = malloc(sizeof(*x)); both(one, two); return 0; }
