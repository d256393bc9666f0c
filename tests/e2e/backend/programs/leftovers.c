// EXPECT record: status 0
/*
 * Memory that was never written: what the runtime leaves on a stack when it switches must be the same with both
 * backends, since a program may read it (here on purpose, elsewhere as padding of a struct that is copied).
 */
#include <pthread.h>
#include <stdio.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned char seen[4096];
static unsigned long sums[2];

static __attribute__((noinline)) void look(int who)
{
	unsigned char room[2048];
	__asm__ volatile("" : : "r"(room) : "memory");
	memcpy(seen, room, sizeof(room));
	for (int i = 0; i < 2048; i++)
		sums[who] = sums[who] * 31 + seen[i];
}

static void *work(void *argument)
{
	int who = argument != NULL;
	for (int i = 0; i < 4; i++) {
		pthread_mutex_lock(&lock);
		look(who);
		pthread_mutex_unlock(&lock);
	}
	return NULL;
}

int main(void)
{
	pthread_t t;
	pthread_create(&t, NULL, work, &t);
	work(NULL);
	pthread_join(t, NULL);
	printf("%d\n", sums[0] != sums[1]);
}
