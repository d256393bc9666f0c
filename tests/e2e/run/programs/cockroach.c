// expect: lost-signal:predicted
// CockroachDB (Fig. 3.4): the broadcast may come before the wait, and comes only once.
#include "turns.h"
MUTEX(mu);
static pthread_cond_t cycler = PTHREAD_COND_INITIALIZER;
static int has_cycler = 1;
static void *receiver(void *a) { LOCK(mu); if (has_cycler) { done(1); pthread_cond_wait(&cycler, &mu); } UNLOCK(mu); return a; }
static void *other(void *a) { turn(1); LOCK(mu); if (has_cycler) pthread_cond_broadcast(&cycler); UNLOCK(mu); return a; }
int main(void) { both(receiver, other); return 0; }
