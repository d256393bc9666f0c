/* SPDX-License-Identifier: Apache-2.0 */
// A timed wait may be signalled or run out, whether or not the signal comes before it.
// OPTIONS --outcomes
// STATUS 0
// COMPLETE true
// OUTCOMES late|signalled
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <time.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;

static void *other(void *unused)
{
	pthread_cond_signal(&cond);
	return unused;
}

int main(void)
{
	pthread_t t;
	struct timespec when;
	clock_gettime(CLOCK_REALTIME, &when);
	when.tv_sec++;
	pthread_create(&t, NULL, other, NULL);
	pthread_mutex_lock(&lock);
	int rc = pthread_cond_timedwait(&cond, &lock, &when);
	pthread_mutex_unlock(&lock);
	pthread_join(t, NULL);
	printf("%s", rc == ETIMEDOUT ? "late" : "signalled");
	return 0;
}
