// expect:
// What is handed over under a lock is not accessed by its maker any more.
#include "turns.h"
MUTEX(m);
static int *box;
static void *one(void *a) { int *p = malloc(4); *p = 7; LOCK(m); box = p; UNLOCK(m); done(1); return a; }
static void *two(void *a) { turn(1); LOCK(m); int *p = box; UNLOCK(m); int v = *p; free(p); return v == 7 ? a : NULL; }
int main(void) { both(one, two); return 0; }
