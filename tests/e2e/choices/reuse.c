/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One thread frees a block, another one allocates one of the same class and one of another class: is it the same block?
 * -DABA: a stack whose pop compares addresses only; a block that is freed and allocated again makes it lose an element.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

struct node {
	struct node *next;
	long value;
};

#ifndef ABA
static struct node *block;

static void *release(void *arg)
{
	free(block);
	return arg;
}

int main(void)
{
	pthread_t t;
	block = malloc(sizeof(*block));
	size_t before = (size_t)block;
	pthread_create(&t, NULL, release, NULL);
	void *same = malloc(sizeof(*block)), *other = malloc(200);
	printf("%d%d\n", (size_t)same == before, (size_t)other == before);
	pthread_join(t, NULL);
	return 0;
}
#else
static _Atomic(struct node *) top;

static void push(struct node *n)
{
	n->next = atomic_load(&top);
	while (!atomic_compare_exchange_strong(&top, &n->next, n))
		;
}

static struct node *pop(void)
{
	struct node *n = atomic_load(&top);
	while (n && !atomic_compare_exchange_strong(&top, &n, n->next))
		;
	return n;
}

static void *churn(void *arg)
{
	struct node *a = pop(), *b = pop();
	if (a && b) {
		free(a);
		struct node *again = malloc(sizeof(*again));
		again->value = 3;
		push(again);
		b->next = NULL;
	}
	return arg;
}

int main(void)
{
	pthread_t t;
	for (long i = 1; i <= 2; i++) {
		struct node *n = malloc(sizeof(*n));
		n->value = i;
		push(n);
	}
	pthread_create(&t, NULL, churn, NULL);
	struct node *mine = pop();
	pthread_join(t, NULL);
	/* The thread that popped a node owns it: it is not in the stack any more. */
	int twice = 0;
	for (struct node *n = atomic_load(&top); n; n = n->next)
		twice += n->value == 1 && mine && mine->value == 3;
	printf("%d\n", twice);
	return 0;
}
#endif
