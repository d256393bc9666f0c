/* SPDX-License-Identifier: Apache-2.0 */
// The interleavings of the chain of recycled blocks (programs/recycle_chain.c), counted without heddle, for three heaps.  Nine
// steps lie between the points at malloc and free; a failing run stops.  How many runs use memory after its free depends on which
// block malloc takes: of one list of freed blocks the oldest or the newest, or only one of the same size.
#include <stdbool.h>
#include <stdio.h>

enum heap { OLDEST, NEWEST, SAME_SIZE, HEAPS };
enum block { POINTER, DATA, BLOCKS };
enum { FIRST_STEPS = 4, SECOND_STEPS = 5 };

struct state {
	int next[2];		/* step of each thread */
	bool is_published, is_free[BLOCKS];
	int list[BLOCKS], listed;	/* freed blocks, the oldest first */
};

static int runs, reads, writes;	/* all; those that fail when the pointer is read, when the data is written */

static void release(struct state *s, enum block b)
{
	s->is_free[b] = true;
	s->list[s->listed++] = b;
}

static void allocate(struct state *s, enum heap heap, enum block wanted)
{
	int at = heap == NEWEST ? s->listed - 1 : 0;
	while (heap == SAME_SIZE && at < s->listed && s->list[at] != (int)wanted)
		at++;
	if (at < 0 || at >= s->listed)
		return;		/* new memory */
	s->is_free[s->list[at]] = false;
	if (at == 0)
		s->list[0] = s->list[1];
	s->listed--;
}

// Gives whether the run goes on.
static bool step(struct state *s, enum heap heap, int thread)
{
	switch (thread * FIRST_STEPS + s->next[thread]++) {
	case 0: s->is_published = true; break;
	case 1: release(s, POINTER); break;
	case 2: break;		/* the first thread writes its data, which it alone frees */
	case 3: release(s, DATA); break;
	case 4: s->next[1] = s->is_published ? 1 : SECOND_STEPS; break;
	case 5: allocate(s, heap, POINTER); break;
	case 6: reads += s->is_free[POINTER]; return !s->is_free[POINTER];
	case 7: allocate(s, heap, DATA); break;
	case 8: writes += s->is_free[DATA]; return !s->is_free[DATA];
	}
	return true;
}

static void explore(struct state s, enum heap heap)
{
	bool is_over = true;
	for (int thread = 0; thread < 2; thread++) {
		struct state after = s;
		if (s.next[thread] == (thread ? SECOND_STEPS : FIRST_STEPS))
			continue;
		is_over = false;
		if (step(&after, heap, thread))
			explore(after, heap);
		else
			runs++;
	}
	runs += is_over;
}

int main(void)
{
	static const char *const names[HEAPS] = { "the oldest", "the newest", "one of the same size" };
	for (enum heap heap = OLDEST; heap < HEAPS; heap++) {
		runs = reads = writes = 0;
		explore((struct state){ 0 }, heap);
		printf("%s: %d interleavings, %d + %d failing\n", names[heap], runs, reads, writes);
	}
	return 0;
}
