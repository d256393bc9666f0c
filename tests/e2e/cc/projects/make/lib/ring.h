/* SPDX-License-Identifier: Apache-2.0 */
/* A ring of log records: any thread adds, one takes them out. */
#ifndef RING_H
#define RING_H

#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

#define RING_SIZE 8

struct record {
	unsigned thread;
	unsigned number;
	char text[40];
};

struct ring {
	pthread_mutex_t lock;
	pthread_cond_t changed;
	struct record records[RING_SIZE];
	size_t head, tail;
	atomic_uint dropped;
};

void ring_init(struct ring *r);
void ring_add(struct ring *r, const struct record *record);
struct record ring_take(struct ring *r);
void record_set(struct record *record, unsigned thread, unsigned number, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

#endif
