// expect: use-after-free:predicted
// EXAMPLE 1 of OVPredict: both under the same lock, but in either order.
#include "turns.h"
MUTEX(m);
static int *x;
static void *one(void *a) { LOCK(m); *x = 1; UNLOCK(m); done(1); return a; }
static void *two(void *a) { turn(1); LOCK(m); free(x); UNLOCK(m); return a; }
int main(void) { x = malloc(sizeof(*x)); both(one, two); return 0; }
