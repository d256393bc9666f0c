// SPDX-License-Identifier: Apache-2.0
// The pointer itself lies in a block that is freed and handed out again; what it points to was prepared in it.
#include "heap.h"

static struct holder *pub;

static void *prepare(void)
{
	struct holder *p = malloc(sizeof(*p));
	p->ptr = malloc(sizeof(*p->ptr));
	return p;
}

static void *first(void *prepared)
{
	struct holder *p1 = prepared;
	struct block *x1 = p1->ptr;
	pub = p1;
	free(p1);
	x1->foo = 1;
	free(x1);
	return prepared;
}

static void *second(void *prepared)
{
	struct holder *p2 = pub;
	if (p2) {
		struct holder *q = malloc(sizeof(*q));
		struct block *x2 = p2->ptr;
		struct block *y = malloc(sizeof(*y));
		x2->foo = 2;
		(void)q, (void)y;
	}
	return prepared;
}
