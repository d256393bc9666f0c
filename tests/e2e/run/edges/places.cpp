/* SPDX-License-Identifier: Apache-2.0 */
/* A block from a library without hooks, and threads that get their names after they have begun. */
#include <pthread.h>
#include <semaphore.h>

struct shared {
	int value[4];
};

static struct shared *shared;
static sem_t named[2];

static void *works(void *a)
{
	sem_wait(static_cast<sem_t *>(a));
	shared->value[0]++;
	return a;
}

int main(int argc, char **)
{
	pthread_t t[2];
	const char *names[] = { "reader", "writer" };
	shared = new struct shared(); // allocated
	for (int i = 0; i < 2; i++) {
		sem_init(&named[i], 0, 0);
		pthread_create(&t[i], nullptr, works, &named[i]);
		pthread_setname_np(t[i], names[i]);
	}
	for (int i = 0; i < 2; i++)
		sem_post(&named[i]);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], nullptr);
	if (argc > 1)
		delete shared;
	return 0;
}
