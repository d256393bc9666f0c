// expect: use-after-free:observed
// A block is freed by one thread and used by another one, in no order.
// TSAN: data race
#include <pthread.h>
#include <stdlib.h>
static char *block;
static void *work(void *a)
{
	free(block);
	return a;
}
static void *use(void *a)
{
	block[40] = 1;
	return a;
}
int main(void)
{
	pthread_t t, u;
	block = malloc(64);
	pthread_create(&u, 0, use, 0);
	pthread_create(&t, 0, work, 0);
	pthread_join(t, 0);
	pthread_join(u, 0);
	return 0;
}
