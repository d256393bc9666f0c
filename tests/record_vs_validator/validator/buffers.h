/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Stores that are not in memory yet, for traces under TSO and PSO: a queue for each thread.  Its
 * own thread reads the newest store of a byte, all others read memory, and what synchronises
 * threads finds the queue empty.
 */
#ifndef VALIDATOR_BUFFERS_H
#define VALIDATOR_BUFFERS_H

#include "state.h"

struct store {
	struct store *newer;
	uint64_t obj, size, epoch;
	bool is_release;
	uint8_t *value;
};

struct queue {
	struct store *oldest;
	uint64_t epoch; /* release fences so far */
};

static enum { MODEL_SC, MODEL_TSO, MODEL_PSO } memory_model;
static struct queue queues[THREADS];
static uint64_t turn_thread = NONE, turn_place; /* what the schedule has announced */

static void note_model(const char *line)
{
	if (!strcmp(line, "fact memory-model \"tso\""))
		memory_model = MODEL_TSO;
	else if (!strcmp(line, "fact memory-model \"pso\""))
		memory_model = MODEL_PSO;
}

/* The byte that the thread has stored last; NULL: it sees memory. */
static uint8_t *own_byte(uint64_t thread, uint64_t addr)
{
	uint8_t *found = NULL;
	for (struct store *s = queues[thread].oldest; s; s = s->newer)
		if (addr - s->obj < s->size)
			found = &s->value[addr - s->obj];
	return found;
}

static void add_store(const struct event *e)
{
	if (memory_model == MODEL_SC)
		violation("a store is buffered, but the trace does not say that memory is weaker "
			  "than sc");
	if (!strcmp(e->mode, "seq_cst"))
		violation("a seq_cst store is buffered");
	struct store *s = zeroed(sizeof(*s)), **at = &queues[e->thread].oldest;
	*s = (struct store){ .obj = e->obj, .size = e->size, .epoch = queues[e->thread].epoch };
	s->is_release = !strcmp(e->mode, "release") || !strcmp(e->mode, "acq_rel");
	s->value = zeroed(e->size + 1);
	for (uint64_t i = 0; i < e->size; i++)
		s->value[i] = event_byte(e, i, false);
	while (*at)
		at = &(*at)->newer;
	*at = s;
}

static bool may_pass(const struct store *s, const struct store *older)
{
	bool overlaps = s->obj < older->obj + older->size && older->obj < s->obj + s->size;
	return memory_model == MODEL_PSO && !overlaps && !s->is_release && s->epoch == older->epoch;
}

/* The store that the event is about leaves its queue. */
static void take_store(const struct event *e)
{
	uint64_t place = 0;
	if (e->b >= THREADS)
		violation("there is no T%" PRIu64, e->b);
	struct store **at = &queues[e->b].oldest, *s;
	while (*at && ((*at)->obj != e->obj || (*at)->size != e->size)) {
		at = &(*at)->newer;
		place++;
	}
	if (!*at)
		violation("T%" PRIu64 " has no such store in its buffer", e->b);
	s = *at;
	for (const struct store *older = queues[e->b].oldest; older != s; older = older->newer)
		if (!may_pass(s, older))
			violation("the store passes an older one, of 0x%" PRIx64, older->obj);
	for (uint64_t i = 0; i < e->size; i++)
		if (event_byte(e, i, false) != s->value[i])
			violation("byte %" PRIu64 " of the store is 0x%02x", i, s->value[i]);
	if (turn_thread != NONE ? turn_thread != e->b || turn_place != place : e->b != e->thread)
		violation("the schedule did not let this store go");
	turn_thread = NONE;
	*at = s->newer;
	free(s->value);
	free(s);
}

static void do_flush_turn(const struct event *e)
{
	turn_thread = e->b;
	turn_place = (*e->mode ? number(e->mode) : 0) & 127;
}

static void check_empty(uint64_t thread, const struct event *e)
{
	if (queues[thread].oldest)
		violation("'%s' while T%" PRIu64 " has a store of 0x%" PRIx64 " in its buffer",
			  e->kind, thread, queues[thread].oldest->obj);
}

/* What synchronises comes after everything that its thread has stored. */
static void check_order(const struct event *e)
{
	static const char *const kinds[] = {
		"rmw",	    "request",	"acquire",    "release",   "try-fail",
		"wait",	    "wake",	"signal",     "broadcast", "barrier-in",
		"sem-post", "sem-wait", "once-begin", "once-end",  "fork",
		"end",	    "join",	"cancel",     "kill",	   "process-end"
	};
	if (turn_thread != NONE && strcmp(e->kind, "flush"))
		violation("the schedule lets a store go, but '%s' follows", e->kind);
	if (memory_model == MODEL_SC || !strncmp(e->mode, "annotated", 9))
		return;
	bool is_fence = !strcmp(e->kind, "fence");
	if (is_fence && (!strcmp(e->mode, "release") || !strcmp(e->mode, "acq_rel")))
		queues[e->thread].epoch++;
	bool synchronises = (is_fence || !strcmp(e->kind, "write")) && !strcmp(e->mode, "seq_cst");
	for (unsigned i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		synchronises |= !strcmp(e->kind, kinds[i]);
	if (synchronises)
		check_empty(e->thread, e);
	if (!strcmp(e->kind, "join") && e->a < THREADS)
		check_empty(e->a, e);
}

#endif
