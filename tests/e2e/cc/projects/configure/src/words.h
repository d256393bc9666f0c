/* SPDX-License-Identifier: Apache-2.0 */
/* Counting words with several threads that are fed through a bounded queue. */
#ifndef WORDS_H
#define WORDS_H

#include <pthread.h>
#include <stddef.h>

#define QUEUE_CAPACITY 4

struct line {
	char *text;
	size_t number;
};

struct queue {
	pthread_mutex_t lock;
	pthread_cond_t not_empty, not_full;
	struct line lines[QUEUE_CAPACITY];
	size_t first, count;
	int closed;
};

struct totals {
	size_t words, longest;
	double mean_length;
};

void queue_init(struct queue *q);
void queue_put(struct queue *q, struct line line);
int queue_take(struct queue *q, struct line *line);	/* 0 when the queue is closed and empty */
void queue_close(struct queue *q);
void queue_destroy(struct queue *q);

struct totals count_words(const char *const *lines, size_t count, unsigned workers);

#endif
