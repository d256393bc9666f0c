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
static struct configuration defaults = { 4 };
static struct configuration *configuration;

static void *serve(void *unused)
{
	return configuration->workers == 4 ? unused : NULL;
}

int main(void)
{
	pthread_t server;
#ifdef FIXED
	configuration = &defaults;
	pthread_create(&server, NULL, serve, NULL);
#else
	pthread_create(&server, NULL, serve, NULL);
	configuration = &defaults;
#endif
	pthread_join(server, NULL);
	return 0;
}
