/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "words.h"

void queue_init(struct queue *q)
{
	pthread_mutex_init(&q->lock, NULL);
	pthread_cond_init(&q->not_empty, NULL);
	pthread_cond_init(&q->not_full, NULL);
	q->first = q->count = 0;
	q->closed = 0;
}

void queue_put(struct queue *q, struct line line)
{
	pthread_mutex_lock(&q->lock);
	while (q->count == QUEUE_CAPACITY)
		pthread_cond_wait(&q->not_full, &q->lock);
	q->lines[(q->first + q->count++) % QUEUE_CAPACITY] = line;
	pthread_cond_signal(&q->not_empty);
	pthread_mutex_unlock(&q->lock);
}

int queue_take(struct queue *q, struct line *line)
{
	pthread_mutex_lock(&q->lock);
	while (!q->count && !q->closed)
		pthread_cond_wait(&q->not_empty, &q->lock);
	int found = q->count > 0;
	if (found) {
		*line = q->lines[q->first];
		q->first = (q->first + 1) % QUEUE_CAPACITY;
		q->count--;
		pthread_cond_signal(&q->not_full);
	}
	pthread_mutex_unlock(&q->lock);
	return found;
}

void queue_close(struct queue *q)
{
	pthread_mutex_lock(&q->lock);
	q->closed = 1;
	pthread_cond_broadcast(&q->not_empty);
	pthread_mutex_unlock(&q->lock);
}

void queue_destroy(struct queue *q)
{
	pthread_mutex_destroy(&q->lock);
	pthread_cond_destroy(&q->not_empty);
	pthread_cond_destroy(&q->not_full);
}
