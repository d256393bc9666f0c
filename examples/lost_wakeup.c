/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A queue of jobs.  The worker looks whether there is a job, and only then takes the lock to wait.  If the
 * job arrives between the look and the wait, its signal reaches nobody, and the worker sleeps for ever.
 */
#include <pthread.h>
#include <stdatomic.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t has_work = PTHREAD_COND_INITIALIZER;
static atomic_int jobs;

static void push(void)
{
	jobs++;
	pthread_cond_signal(&has_work);
}

static void pop(void)
{
	if (jobs == 0) {
		pthread_mutex_lock(&lock);
		pthread_cond_wait(&has_work, &lock);
		pthread_mutex_unlock(&lock);
	}
	jobs--;
}

static void *worker(void *unused)
{
	pop();
	pop();
	return unused;
}

int main(void)
{
	pthread_t thread;
	pthread_create(&thread, NULL, worker, NULL);
	push();
	push();
	pthread_join(thread, NULL);
	return 0;
}
