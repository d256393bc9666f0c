// The pointer is taken atomically.
// EXPECT record: status 0
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static void *_Atomic block;

static void *clean_up(void *unused)
{
	free(atomic_exchange(&block, NULL));
	return unused;
}

int main(void)
{
	pthread_t t;
	block = malloc(40);
	pthread_create(&t, NULL, clean_up, NULL);
	clean_up(NULL);
	pthread_join(t, NULL);
	return 0;
}
