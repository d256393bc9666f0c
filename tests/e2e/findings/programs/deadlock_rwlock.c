// A reader waits for a mutex whose holder waits to write; another reader is in the way as well.
// EXPECT record: status 1, kind deadlock
// LEVELS -O0: what is called does not depend on the level
#include <pthread.h>
#include <stddef.h>

static pthread_rwlock_t table = PTHREAD_RWLOCK_INITIALIZER;
static pthread_mutex_t log_lock = PTHREAD_MUTEX_INITIALIZER;
static int entries, lines;

static void *look_up(void *unused)
{
	pthread_rwlock_rdlock(&table);	// PLACE
	if (entries)
		pthread_rwlock_unlock(&table), pthread_rwlock_rdlock(&table);
	pthread_mutex_lock(&log_lock);	// PLACE
	lines++;
	pthread_mutex_unlock(&log_lock);
	pthread_rwlock_unlock(&table);
	return unused;
}

static void *insert(void *unused)
{
	pthread_mutex_lock(&log_lock);	// PLACE
	pthread_rwlock_wrlock(&table);	// PLACE
	entries++;
	pthread_rwlock_unlock(&table);
	pthread_mutex_unlock(&log_lock);
	return unused;
}

int main(void)
{
	pthread_t t[2];
	pthread_create(&t[0], NULL, look_up, NULL);
	pthread_create(&t[1], NULL, insert, NULL);
	pthread_rwlock_rdlock(&table);
	int n = entries;
	pthread_rwlock_unlock(&table);
	pthread_join(t[0], NULL);
	pthread_join(t[1], NULL);
	return n > 1;
}
