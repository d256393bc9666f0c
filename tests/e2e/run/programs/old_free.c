// expect: use-after-free:observed
// A block was freed by another thread so long ago that its history has lost it: who freed it and where is still known.
// SHOWS: T1 frees heap
// SHOWS: release() .*old_free.c
#include <pthread.h>
#include <stdlib.h>
static char *block;
static volatile int noise;
__attribute__((noinline)) static void release(void)
{
	free(block);
}
__attribute__((noinline)) static void turn(void)
{
	noise++;
}
static void *work(void *a)
{
	release();
	for (int i = 0; i < 200000; i++)
		turn();
	return a;
}
int main(void)
{
	pthread_t t;
	block = malloc(64);
	pthread_create(&t, 0, work, 0);
	pthread_join(t, 0);
	block[3] = 1;
	return 0;
}
