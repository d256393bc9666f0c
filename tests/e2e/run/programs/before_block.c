// expect:
// The byte before a large block is the allocator's, and its shadow is our own notes on the block, which are no stamps.
#include <pthread.h>
#include <stdlib.h>
static char *volatile block;
static volatile char seen;
static void *look(void *a)
{
	seen = block[-1];
	return a;
}
int main(void)
{
	pthread_t t;
	block = malloc(0x70000000);
	pthread_create(&t, NULL, look, NULL);
	pthread_join(t, NULL);
	seen = block[-1];
	free(block);
	return 0;
}
