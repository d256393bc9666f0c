// expect: race:observed
// The use asks a flag in its section, and the other thread clears the flag, without the lock, before it frees: the race on the
// flag is real, but a section that comes after the free finds the flag cleared.
#include "turns.h"
MUTEX(m);
static int *x, is_valid = 1;
static void *one(void *a) { LOCK(m); if (is_valid) *x = 1; UNLOCK(m); done(1); return a; }
static void *two(void *a) { turn(1); is_valid = 0; LOCK(m); free(x); UNLOCK(m); return a; }
int main(void) { x = malloc(sizeof(*x)); both(one, two); return 0; }
