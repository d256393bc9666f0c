// expect:
// A condition that is asked and set under the lock, signalled after and before it is set.
#include "turns.h"
MUTEX(m);
static pthread_cond_t c = PTHREAD_COND_INITIALIZER, d = PTHREAD_COND_INITIALIZER;
static int ready, more;
static void *one(void *a)
{
	LOCK(m);
	done(1);
	while (!ready)
		pthread_cond_wait(&c, &m);
	done(2);
	while (!more)
		pthread_cond_wait(&d, &m);
	UNLOCK(m);
	return a;
}
static void *two(void *a)
{
	turn(1);
	LOCK(m);
	ready = 1;
	pthread_cond_signal(&c);
	UNLOCK(m);
	turn(2);
	LOCK(m);
	pthread_cond_signal(&d);
	more = 1;
	UNLOCK(m);
	pthread_cond_signal(&d);
	return a;
}
int main(void) { both(one, two); return 0; }
