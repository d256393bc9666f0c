// expect: lock-order:potential
// Two locks in opposite orders.
// TSAN: lock-order-inversion (potential deadlock)
#include "turns.h"
MUTEX(m);
MUTEX(n);
static void *one(void *a) { LOCK(m); LOCK(n); UNLOCK(n); UNLOCK(m); done(1); return a; }
static void *two(void *a) { turn(1); LOCK(n); LOCK(m); UNLOCK(m); UNLOCK(n); return a; }
int main(void) { both(one, two); return 0; }
