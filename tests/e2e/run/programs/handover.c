// expect:
// A worker puts itself on a list and has its own lock before it lets go of the list's: a thread that finds it there can signal only after it
// waits.  The sections of the worker's lock look independent; the older one begins before what the younger one has seen.
#include "turns.h"
MUTEX(list);
MUTEX(own);
static pthread_cond_t woken = PTHREAD_COND_INITIALIZER;
static int is_listed;
static void *one(void *a) { LOCK(list); is_listed = 1; LOCK(own); UNLOCK(list); done(1); pthread_cond_wait(&woken, &own); UNLOCK(own); return a; }
static void *two(void *a)
{
	turn(1);
	LOCK(list);
	int v = is_listed;
	if (v)
		LOCK(own);
	UNLOCK(list);
	if (v) {
		pthread_cond_signal(&woken);
		UNLOCK(own);
	}
	return a;
}
int main(void) { both(one, two); return 0; }
