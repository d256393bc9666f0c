/* SPDX-License-Identifier: Apache-2.0 */
/* A stack without locks: a node points to the top that the compare-exchange expects. */
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

struct node {
	struct node *next;
};
static struct node nodes[2];
static _Atomic(struct node *) top;
static atomic_int taken;

static void *push(void *unused)
{
	struct node *n = &nodes[atomic_fetch_add(&taken, 1)];
	struct node *seen = atomic_load(&top);
	do
		n->next = seen;
	while (!atomic_compare_exchange_weak(&top, &seen, n));
	return unused;
}

int main(void)
{
	pthread_t a, b;
	pthread_create(&a, NULL, push, NULL);
	pthread_create(&b, NULL, push, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
