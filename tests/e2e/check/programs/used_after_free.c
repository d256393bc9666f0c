/* SPDX-License-Identifier: Apache-2.0 */
// Each use can come after the free, and each can race with it: four findings, shortened schedules keep their places.
// OPTIONS --continue
// STATUS 1
// COMPLETE true
// PLACE use-after-free 19
// PLACE use-after-free 20
// PLACE race 19
// PLACE race 20
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static volatile int *p;

static void *use(void *arg)
{
	volatile int *mine = arg;
	*mine = 1;
	*mine = 2;
	pthread_mutex_lock(&lock);
	pthread_mutex_unlock(&lock);
	return NULL;
}

static void *give_up(void *arg)
{
	pthread_mutex_lock(&lock);
	free(arg);
	pthread_mutex_unlock(&lock);
	return NULL;
}

int main(void)
{
	pthread_t a, b;
	p = malloc(sizeof(*p));
	pthread_create(&a, NULL, use, (void *)p);
	pthread_create(&b, NULL, give_up, (void *)p);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
