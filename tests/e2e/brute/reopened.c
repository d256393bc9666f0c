/* SPDX-License-Identifier: Apache-2.0 */
// The first thread always fails, so it sleeps where the others go on without it.  How much of the text a copy of it would read is
// taken for unknown, so a plan that ends with the copy counts as one that wakes the first thread; but it does not, and what
// follows must be explored without it: the copy comes before the text is written.
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <string.h>

static char text[32];
static sem_t written;

static void *fail(void *unused)
{
	assert(!"it always fails");
	return unused;
}

static void *change(void *unused)
{
	text[0] = 1;
	sem_post(&written);
	return unused;
}

static void *copy(void *unused)
{
	char own[sizeof(text)];
	memcpy(own, text, sizeof(text));
	sem_wait(&written);
	assert(own[0]);
	return unused;
}

int main(void)
{
	pthread_t threads[3];
	sem_init(&written, 0, 0);
	pthread_create(&threads[0], NULL, fail, NULL);
	pthread_create(&threads[1], NULL, change, NULL);
	pthread_create(&threads[2], NULL, copy, NULL);
	for (int k = 0; k < 3; k++)
		pthread_join(threads[k], NULL);
	return 0;
}
