// expect: destroy-in-use:observed
// MySQL: COND_thread_count is signalled by a connection's thread after the count that main waits for is down.
#include "turns.h"
MUTEX(lock);
static pthread_cond_t count_down = PTHREAD_COND_INITIALIZER;
static int threads = 1;
static void *connection(void *a) { LOCK(lock); threads--; UNLOCK(lock); pthread_cond_signal(&count_down); done(1); return a; }
int main(void)
{
	pthread_t t;
	pthread_create(&t, NULL, connection, NULL);
	turn(1);
	LOCK(lock);
	while (threads)
		pthread_cond_wait(&count_down, &lock);
	UNLOCK(lock);
	pthread_cond_destroy(&count_down);
	pthread_join(t, NULL);
	return 0;
}
