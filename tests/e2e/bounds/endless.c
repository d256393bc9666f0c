/* SPDX-License-Identifier: Apache-2.0 */
// Programs without an end; -DKIND chooses one.
#include <pthread.h>

#define SERVE 1		/* threads that work under a lock for ever */
#define DETACH 2	/* a thread for each request, which nobody joins; they race */
#define JOIN 3		/* one after the other: there is one schedule only */

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int under_lock, without;

static void *work(void *unused)
{
	do {
		pthread_mutex_lock(&m);
		under_lock++;
		pthread_mutex_unlock(&m);
	} while (KIND == SERVE);
	if (KIND != SERVE)
		without++;
	return unused;
}

int main(void)
{
	pthread_t t;
	if (KIND == SERVE)
		pthread_create(&t, NULL, work, NULL);
	if (KIND == SERVE)
		work(NULL);
	for (;;) {
		pthread_create(&t, NULL, work, NULL);
		if (KIND == JOIN)
			pthread_join(t, NULL);
		else
			pthread_detach(t);
	}
}
