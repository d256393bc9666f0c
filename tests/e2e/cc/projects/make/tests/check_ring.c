/* SPDX-License-Identifier: Apache-2.0 */
#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "ring.h"

static struct ring ring;

static void *produce(void *arg)
{
	struct record record;
	for (unsigned i = 0; i < 50; i++) {
		record_set(&record, *(unsigned *)arg, i, "%u", i);
		ring_add(&ring, &record);
	}
	return NULL;
}

int main(void)
{
	pthread_t threads[2];
	unsigned names[2] = { 0, 1 }, next[2] = { 0, 0 };
	ring_init(&ring);
	for (int i = 0; i < 2; i++)
		assert(!pthread_create(&threads[i], NULL, produce, &names[i]));
	for (int i = 0; i < 100; i++) {
		struct record record = ring_take(&ring);
		char text[16];
		assert(record.thread < 2 && record.number == next[record.thread]);
		snprintf(text, sizeof(text), "%u", next[record.thread]++);
		assert(!strcmp(record.text, text));
	}
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	assert(atomic_load(&ring.dropped) == 0);
	puts("ring: all passed");
	return 0;
}
