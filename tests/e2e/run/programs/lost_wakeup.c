// expect: lost-signal:observed
// The flag is atomic, the signal is sent without the lock: it may fall between the question and the wait.
#include <stdatomic.h>
#include "turns.h"
MUTEX(m);
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static atomic_int ready;
static void *one(void *a) { LOCK(m); while (!ready) { done(1); pthread_cond_wait(&c, &m); } UNLOCK(m); return a; }
static void *two(void *a) { turn(1); usleep(50000); ready = 1; pthread_cond_signal(&c); return a; }
int main(void) { both(one, two); return 0; }
