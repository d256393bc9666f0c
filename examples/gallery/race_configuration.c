/* SPDX-License-Identifier: Apache-2.0 */
/*
 * KIND: race
 *
 * The thread that needs the configuration is started before it exists.  Fixed: after it.
 */
#include <pthread.h>
#include <stddef.h>

struct configuration {
	int workers;
};
struct configuration defaults = { 4 };
struct configuration *configuration;	/* not static: with its only value known, -O2 would not look at it */

static void *serve(void *enough)
{
	return configuration->workers == 4 ? enough : NULL;
}

int main(void)
{
	pthread_t server;
	void *found;
#ifdef FIXED
	configuration = &defaults;
	pthread_create(&server, NULL, serve, &defaults);
#else
	pthread_create(&server, NULL, serve, &defaults);
	configuration = &defaults;
#endif
	pthread_join(server, &found);
	return found != &defaults;
}
