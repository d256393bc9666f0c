/* SPDX-License-Identifier: Apache-2.0 */
/* Two threads push and pop a stack whose operations are guarded one by one: the test and the pop are not. */
#include "threads.h"

static pthread_mutex_t guard = PTHREAD_MUTEX_INITIALIZER;
static int items[8], top;

static void push(int v)
{
	pthread_mutex_lock(&guard);
	items[top++] = v;
	pthread_mutex_unlock(&guard);
}

static int is_empty(void)
{
	pthread_mutex_lock(&guard);
	int empty = top == 0;
	pthread_mutex_unlock(&guard);
	return empty;
}

static int pop(void)
{
	pthread_mutex_lock(&guard);
	assert(top > 0);
	int v = items[--top];
	pthread_mutex_unlock(&guard);
	return v;
}

static void *work(void *unused)
{
	push(1);
	if (!is_empty())
		pop();
	if (!is_empty())
		pop();
	return unused;
}

int main(void)
{
	run_two(work, work);
	return 0;
}
