/* SPDX-License-Identifier: Apache-2.0 */
/*
 * KIND: use-after-free
 *
 * The waiter frees the semaphore that it was woken by, while the other thread may still be about to log
 * through the same block.  Fixed: the log line is written before the post.
 */
#include <pthread.h>
#include <stddef.h>
#include <semaphore.h>
#include <stdlib.h>

struct request {
	sem_t done;
	int result;
	int logged;
};

static void *answer(void *argument)
{
	struct request *r = argument;
	r->result = 1;
#ifdef FIXED
	r->logged = 1;
	sem_post(&r->done);
#else
	sem_post(&r->done);
	r->logged = 1;
#endif
	return NULL;
}

int main(void)
{
	pthread_t server;
	struct request *r = malloc(sizeof(*r));
	r->logged = 0;
	sem_init(&r->done, 0, 0);
	pthread_create(&server, NULL, answer, r);
	sem_wait(&r->done);
	int result = r->result;
	free(r);
	pthread_join(server, NULL);
	return result != 1;
}
