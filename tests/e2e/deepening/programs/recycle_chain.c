/* SPDX-License-Identifier: Apache-2.0 */
// The pointer itself lies in a block that is freed and handed out again; what it points to was prepared in it.
#include "heap.h"

static struct holder *pub;

/* With LEFT memory that is handed out again has the pointer that lay in it, put back where no hook sees it. */
struct block *left;
#ifdef LEFT
#define LEAVE(holder) __asm__ volatile("mov left(%%rip), %%rax; mov %%rax, (%0)" : : "r"(holder) : "rax", "memory")
#else
#define LEAVE(holder) (void)(holder)
#endif

static void *prepare(void)
{
	struct holder *p = malloc(sizeof(*p));
	left = p->ptr = malloc(sizeof(*p->ptr));
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
		LEAVE(q);
		struct block *x2 = p2->ptr;
		struct block *y = malloc(sizeof(*y));
		x2->foo = 2;
		(void)y;
	}
	return prepared;
}
