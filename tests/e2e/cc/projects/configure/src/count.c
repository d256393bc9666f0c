/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "config.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "words.h"

#ifndef HAVE_STRNDUP
#error strndup was expected
#endif
#ifdef HAVE_NO_SUCH_FUNCTION_ANYWHERE
#error a function that does not exist was found
#endif

struct work {
	struct queue queue;
	pthread_mutex_t lock;
	struct totals totals;
	size_t letters;
};

static void count_line(struct work *work, char *text)
{
	size_t words = 0, letters = 0, longest = 0;
	char *rest;
	for (char *word = strtok_r(text, " \t", &rest); word; word = strtok_r(NULL, " \t", &rest)) {
		size_t len = strlen(word);
		words++;
		letters += len;
		longest = len > longest ? len : longest;
	}
	pthread_mutex_lock(&work->lock);
	struct totals t = work->totals;
	t.words += words;
	t.longest = longest > t.longest ? longest : t.longest;
	work->totals = t;
	work->letters += letters;
	pthread_mutex_unlock(&work->lock);
}

static void *worker(void *arg)
{
	struct work *work = arg;
	struct line line;
	while (queue_take(&work->queue, &line)) {
		count_line(work, line.text);
		free(line.text);
	}
	return NULL;
}

struct totals count_words(const char *const *lines, size_t count, unsigned workers)
{
	struct work work = { .letters = 0 };
	pthread_t threads[16];
	queue_init(&work.queue);
	pthread_mutex_init(&work.lock, NULL);
	workers = workers < 1 ? 1 : workers > 16 ? 16 : workers;
	for (unsigned i = 0; i < workers; i++)
		if (pthread_create(&threads[i], NULL, worker, &work))
			abort();
	for (size_t i = 0; i < count; i++)
		queue_put(&work.queue, (struct line){ strndup(lines[i], 4096), i });
	queue_close(&work.queue);
	for (unsigned i = 0; i < workers; i++)
		pthread_join(threads[i], NULL);
	if (work.totals.words) {
		double mean = (double)work.letters / work.totals.words;
		work.totals.mean_length = sqrt(mean * mean);
	}
	queue_destroy(&work.queue);
	pthread_mutex_destroy(&work.lock);
	return work.totals;
}
