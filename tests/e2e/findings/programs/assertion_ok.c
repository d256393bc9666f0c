// The update is atomic.
// EXPECT record: status 0
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int total;

static void *add(void *unused)
{
	total++;
	return unused;
}

int main(void)
{
	pthread_t t;
	pthread_create(&t, NULL, add, NULL);
	add(NULL);
	pthread_join(t, NULL);
	assert(total == 2);
	return 0;
}
