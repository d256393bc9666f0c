/* SPDX-License-Identifier: Apache-2.0 */
/* A sorted list with a lock for each node, hand over hand.  Wrong: the traversal drops a lock before it has the next. */
#include "threads.h"

struct node {
	pthread_mutex_t lock;
	int key;
	struct node *next;
};

static struct node tail = {PTHREAD_MUTEX_INITIALIZER, 100, NULL};
static struct node head = {PTHREAD_MUTEX_INITIALIZER, 0, &tail};
static struct node fresh[2] = {{PTHREAD_MUTEX_INITIALIZER, 1, NULL}, {PTHREAD_MUTEX_INITIALIZER, 2, NULL}};

static void *insert(void *argument)
{
	struct node *node = &fresh[(long)argument], *at = &head;
	pthread_mutex_lock(&at->lock);
	while (at->next->key < node->key) {
		struct node *next = at->next;
#ifdef WRONG
		pthread_mutex_unlock(&at->lock);
		pthread_mutex_lock(&next->lock);
#else
		pthread_mutex_lock(&next->lock);
		pthread_mutex_unlock(&at->lock);
#endif
		at = next;
	}
#ifdef WRONG
	struct node *next = at->next;
	pthread_mutex_unlock(&at->lock);
	node->next = next;
	pthread_mutex_lock(&at->lock);
	at->next = node;
#else
	node->next = at->next;
	at->next = node;
#endif
	pthread_mutex_unlock(&at->lock);
	return NULL;
}

int main(void)
{
	start(insert, 0);
	start(insert, 1);
	finish();
	int n = 0;
	for (struct node *at = head.next; at != &tail; at = at->next)
		n++;
	assert(n == 2);
	return 0;
}
