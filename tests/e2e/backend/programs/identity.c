// EXPECT record: status 0
/* Who a thread is, according to libc: handle, errno, thread-specific data with destructors, names. */
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static pthread_key_t key;
static int destroyed;
static pthread_t handles[3];

static void destroy(void *value)
{
	destroyed += *(int *)value;
}

static void *work(void *argument)
{
	int *number = argument;
	pthread_setspecific(key, number);
	errno = 0;
	close(-*number);
	int before = errno;
	for (int i = 0; i < 3; i++)
		assert(errno == before && pthread_getspecific(key) == number);
	assert(pthread_equal(pthread_self(), handles[*number]));
	return NULL;
}

int main(void)
{
	static int numbers[] = { 0, 1, 2 };
	static pthread_mutex_t unused = PTHREAD_MUTEX_INITIALIZER;
	pthread_key_create(&key, destroy);
	pthread_mutex_lock(&unused);
	for (int i = 1; i < 3; i++)
		pthread_create(&handles[i], NULL, work, &numbers[i]);
	for (int i = 1; i < 3; i++)
		pthread_join(handles[i], NULL);
	pthread_mutex_unlock(&unused);
	printf("%d\n", destroyed);
}
