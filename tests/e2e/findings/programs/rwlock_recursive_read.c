// A thread reads recursively under a lock that prefers writers, and one comes in between.
// EXPECT record: status 1, kind deadlock
// LEVELS -O0: what is called does not depend on the level
#define _GNU_SOURCE
#include <pthread.h>
#include <stddef.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_WRITER_NONRECURSIVE_INITIALIZER_NP;
static int value;

static int read_inside(void)
{
	pthread_rwlock_rdlock(&lock);	// PLACE
	int v = value;
	pthread_rwlock_unlock(&lock);
	return v;
}

static void *reader(void *unused)
{
	pthread_rwlock_rdlock(&lock);	// PLACE
	int v = read_inside();
	pthread_rwlock_unlock(&lock);
	return v > 1 ? unused : NULL;
}

static void *writer(void *unused)
{
	pthread_rwlock_wrlock(&lock);
	value++;
	pthread_rwlock_unlock(&lock);
	return unused;
}

int main(void)
{
	pthread_t r, w;
	pthread_create(&r, NULL, reader, NULL);
	pthread_create(&w, NULL, writer, NULL);
	pthread_join(r, NULL);
	pthread_join(w, NULL);
	return 0;
}
