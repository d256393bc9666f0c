/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A logger with two locks: one for the list of sinks, one for the buffer.  Writing takes the buffer and
 * then looks for the sinks; adding a sink takes the sinks and then logs that it did.  Each function is
 * right on its own.
 */
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#define SINKS 4

static pthread_mutex_t buffer_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t sinks_lock = PTHREAD_MUTEX_INITIALIZER;
static char buffer[256];
static FILE *sinks[SINKS];
static int sink_count;

static void log_line(const char *text)
{
	pthread_mutex_lock(&buffer_lock);
	strncat(buffer, text, sizeof(buffer) - strlen(buffer) - 1);
	pthread_mutex_lock(&sinks_lock);
	for (int i = 0; i < sink_count; i++)
		fprintf(sinks[i], "%s\n", buffer);
	pthread_mutex_unlock(&sinks_lock);
	buffer[0] = 0;
	pthread_mutex_unlock(&buffer_lock);
}

static void add_sink(FILE *sink)
{
	pthread_mutex_lock(&sinks_lock);
	if (sink_count < SINKS) {
		sinks[sink_count++] = sink;
		pthread_mutex_lock(&buffer_lock);
		strncat(buffer, "[new sink] ", sizeof(buffer) - strlen(buffer) - 1);
		pthread_mutex_unlock(&buffer_lock);
	}
	pthread_mutex_unlock(&sinks_lock);
}

static void *worker(void *name)
{
	log_line(name);
	return NULL;
}

int main(void)
{
	pthread_t thread;
	pthread_create(&thread, NULL, worker, "worker has started");
	add_sink(stdout);
	pthread_join(thread, NULL);
	return 0;
}
