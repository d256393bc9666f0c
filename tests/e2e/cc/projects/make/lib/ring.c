/* SPDX-License-Identifier: Apache-2.0 */
#include "ring.h"

void ring_init(struct ring *r)
{
	*r = (struct ring){ .lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER };
}

void ring_add(struct ring *r, const struct record *record)
{
	pthread_mutex_lock(&r->lock);
	while (r->head - r->tail == RING_SIZE)
		pthread_cond_wait(&r->changed, &r->lock);
	r->records[r->head++ % RING_SIZE] = *record;
	pthread_cond_broadcast(&r->changed);
	pthread_mutex_unlock(&r->lock);
}

struct record ring_take(struct ring *r)
{
	pthread_mutex_lock(&r->lock);
	while (r->head == r->tail)
		pthread_cond_wait(&r->changed, &r->lock);
	struct record record = r->records[r->tail++ % RING_SIZE];
	pthread_cond_broadcast(&r->changed);
	pthread_mutex_unlock(&r->lock);
	return record;
}
