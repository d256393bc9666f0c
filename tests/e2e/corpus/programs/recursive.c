/* SPDX-License-Identifier: Apache-2.0 */
/* A method calls another one of the same object.  Wrong: the object's lock is not recursive. */
#include "threads.h"

static pthread_mutex_t lock;
static int items;

static int size(void)
{
	pthread_mutex_lock(&lock);
	int n = items;
	pthread_mutex_unlock(&lock);
	return n;
}

static void *add_if_empty(void *unused)
{
	(void)unused;
	pthread_mutex_lock(&lock);
	if (size() == 0)
		items++;
	pthread_mutex_unlock(&lock);
	return NULL;
}

int main(void)
{
	pthread_mutexattr_t attributes;
	pthread_mutexattr_init(&attributes);
#ifndef WRONG
	pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_RECURSIVE);
#endif
	pthread_mutex_init(&lock, &attributes);
	start(add_if_empty, 0);
	start(add_if_empty, 0);
	finish();
	assert(items == 1);
	return 0;
}
