// Two threads see the same pointer and both free it.
// EXPECT record: status 1, kind double-free
#include <pthread.h>
#include <stdlib.h>

static void *block;

static void *clean_up(void *unused)
{
	if (block) {
		free(block);	// PLACE
		block = NULL;
	}
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
