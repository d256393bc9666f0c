// expect: race:observed
// FLAG: the race on the flag is real; the freed block is not reached before the flag is set.
#include "turns.h"
MUTEX(m);
static int *x;
static volatile int flag;
static void *one(void *a) { LOCK(m); *x = 1; UNLOCK(m); flag = 1; return a; }
static void *two(void *a) { while (!flag) sched_yield(); LOCK(m); free(x); UNLOCK(m); return a; }
int main(void) { x = malloc(sizeof(*x)); both(one, two); return 0; }
