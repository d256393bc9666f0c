// expect: race:predicted
// The lock orders the two writes of x by chance only: the sections have nothing to do with each other.
#include "turns.h"
MUTEX(m);
int x, y;
static void *one(void *a) { x = 1; LOCK(m); y = 1; UNLOCK(m); done(1); return a; }
static void *two(void *a) { turn(1); LOCK(m); UNLOCK(m); x = 2; return a; }
int main(void) { both(one, two); return y != 1; }
