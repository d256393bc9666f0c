/* SPDX-License-Identifier: Apache-2.0 */
/*
 * KIND: deadlock
 *
 * One thread holds the index for reading and wants the log; the other holds the log and wants the index
 * for writing.  Fixed: the log first in both.
 */
#include <pthread.h>
#include <stddef.h>

static pthread_rwlock_t index_lock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_mutex_t log_lock = PTHREAD_MUTEX_INITIALIZER;
static int entries, lines;

static void *search(void *unused)
{
#ifdef FIXED
	pthread_mutex_lock(&log_lock);
	pthread_rwlock_rdlock(&index_lock);
#else
	pthread_rwlock_rdlock(&index_lock);
	pthread_mutex_lock(&log_lock);
#endif
	lines += entries;
	pthread_mutex_unlock(&log_lock);
	pthread_rwlock_unlock(&index_lock);
	return unused;
}

static void *insert(void *unused)
{
	pthread_mutex_lock(&log_lock);
	pthread_rwlock_wrlock(&index_lock);
	entries++;
	pthread_rwlock_unlock(&index_lock);
	pthread_mutex_unlock(&log_lock);
	return unused;
}

int main(void)
{
	pthread_t a, b;
	pthread_create(&a, NULL, search, NULL);
	pthread_create(&b, NULL, insert, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
