// A stack without locks whose pop compares addresses only: it loses a node if an address comes back.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct node {
	struct node *next;
	int value;
};
static _Atomic(struct node *) top;
static _Atomic int taken;

static void push(struct node *n)
{
	n->next = atomic_load(&top);
	while (!atomic_compare_exchange_strong(&top, &n->next, n))
		;
}

/* What pop would read in the node, were it not freed meanwhile, which would be found at once. */
static struct node *the_first, *next_of_first;

static void *pop(void *unused)
{
	(void)unused;
	struct node *n = atomic_load(&top), *next = next_of_first;
	if (n == the_first && atomic_compare_exchange_strong(&top, &n, next))
		atomic_fetch_add(&taken, 1);
	return NULL;
}

int main(void)
{
	pthread_t thread;
	struct node *second = malloc(sizeof(*second)), *first = malloc(sizeof(*first));
	second->next = NULL;
	the_first = first;
	next_of_first = second;
	atomic_store(&top, second);
	first->next = second;
	atomic_store(&top, first);
	pthread_create(&thread, NULL, pop, NULL);
	/* Both nodes are taken away, and one comes back. */
	struct node *a = atomic_load(&top);
	if (a == first && atomic_compare_exchange_strong(&top, &a, NULL)) {
		free(first);
		struct node *again = malloc(sizeof(*again));
		again->value = 1;
		push(again);
		pthread_join(thread, NULL);
		/* The second node is ours: nobody may have put it back. */
		assert(atomic_load(&top) != second);
	} else {
		pthread_join(thread, NULL);
	}
	return 0;
}
