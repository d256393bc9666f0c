// The mutex is recursive; an errorcheck mutex would only say EDEADLK.
// EXPECT record: status 0
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static pthread_mutex_t strict = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;
static int count;

static void add(int n)
{
	pthread_mutex_lock(&lock);
	count += n;
	pthread_mutex_unlock(&lock);
}

int main(void)
{
	pthread_mutex_lock(&lock);
	add(1);
	pthread_mutex_unlock(&lock);
	pthread_mutex_lock(&strict);
	int again = pthread_mutex_lock(&strict);
	pthread_mutex_unlock(&strict);
	return again != EDEADLK || count != 1;
}
