// expect: race:predicted
// A write under a read lock, which the later sections of the run order by chance; the accesses of y are fine.
#include "turns.h"
static pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;
static int x, y;
static void *one(void *a)
{
	pthread_rwlock_rdlock(&l);
	x = 1;
	pthread_rwlock_unlock(&l);
	pthread_rwlock_wrlock(&l);
	y = 1;
	pthread_rwlock_unlock(&l);
	done(1);
	return a;
}
static void *two(void *a)
{
	turn(1);
	pthread_rwlock_rdlock(&l);
	int v = x + y;
	pthread_rwlock_unlock(&l);
	pthread_rwlock_rdlock(&l);
	x = 2;
	pthread_rwlock_unlock(&l);
	return v ? a : NULL;
}
int main(void) { both(one, two); return 0; }
