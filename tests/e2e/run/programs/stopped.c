// expect:
// An atomic flag says that it is over, and a thread that has not seen it waits, or uses the block: neither can come after.
#include <stdatomic.h>
#include "turns.h"
MUTEX(m);
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static atomic_int over, is_gone;
static int *block;
static void *user(void *a)
{
	LOCK(m);
	if (!atomic_load(&is_gone))
		*block = 1;
	UNLOCK(m);
	LOCK(m);
	while (!atomic_load(&over)) {
		done(1);
		pthread_cond_wait(&changed, &m);
	}
	UNLOCK(m);
	return a;
}
static void *stopper(void *a)
{
	turn(1);
	atomic_store(&is_gone, 1);
	LOCK(m);
	free(block);
	UNLOCK(m);
	atomic_store(&over, 1);
	LOCK(m);
	pthread_cond_broadcast(&changed);
	UNLOCK(m);
	return a;
}
int main(void)
{
	block = malloc(sizeof(*block));
	both(user, stopper);
	return 0;
}
