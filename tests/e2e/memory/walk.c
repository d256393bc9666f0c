/* SPDX-License-Identifier: Apache-2.0 */
/*
 * walk MODEL 0 PROGRAM: one free execution; prints how it ended and how many awaits there were.
 * walk MODEL WALKS PROGRAM: random walks through the executions of a program, turn by turn, as an explorer would ask for
 * them: a plan is extended by a step of a random thread or by a flush of a random buffer, as long as the program can
 * follow.  Prints every outcome (standard output) once, with how often it was seen, sorted.
 *
 * What the walk relies on is checked on the way: a plan that was followed is followed again with the same operations,
 * and in a free run nothing stays in a buffer.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "exec/worker.h"

#define TURNS_MAX 400
#define THREADS_MAX 8
#define LOCATIONS_MAX 64
#define OUTCOMES_MAX 64

static uint64_t random_state = 88172645463325252ull;

static uint32_t random_below(uint32_t n)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return (uint32_t)(random_state >> 33) % n;
}

static struct outcome {
	char text[64];
	unsigned count;
} outcomes[OUTCOMES_MAX];

static void fail(const char *what)
{
	fprintf(stderr, "walk: %s\n", what);
	exit(1);
}

/* What the program printed in all. */
static void output_of(const struct execution *x, char *text, size_t room)
{
	size_t len = 0;
	for (size_t i = 0; i < x->ops_count; i++) {
		if (x->ops[i].kind != OP_OUTPUT)
			continue;
		size_t n = x->ops[i].size;
		if (len + n < room)
			memcpy(text + len, &x->ops[i + 1], n), len += n;
		i += (n + sizeof(struct wire_op) - 1) / sizeof(struct wire_op);
	}
	text[len] = 0;
	text[strcspn(text, "\n")] = 0;
}

static void note_outcome(const struct execution *x)
{
	char text[64];
	if (x->end == EXPLORE_EXIT)
		output_of(x, text, sizeof(text));
	else
		snprintf(text, sizeof(text), "end %d failure %u", x->end, x->failure);
	unsigned i = 0;
	while (i < OUTCOMES_MAX - 1 && outcomes[i].count && strcmp(outcomes[i].text, text))
		i++;
	snprintf(outcomes[i].text, sizeof(outcomes[i].text), "%.63s", text);
	outcomes[i].count++;
}

static int by_text(const void *a, const void *b)
{
	return strcmp(((const struct outcome *)a)->text, ((const struct outcome *)b)->text);
}

/* In the list, buffered stores minus flushes of a thread. */
static void check_buffers(const struct execution *x)
{
	int waiting[THREADS_MAX] = { 0 };
	uint64_t thread = 0;
	for (size_t i = 0; i < x->ops_count; i++) {
		const struct wire_op *op = &x->ops[i];
		if (op->kind == OP_STEP)
			thread = op->object;
		else if (op->kind == OP_OUTPUT)
			i += (op->size + sizeof(*op) - 1) / sizeof(*op);
		else if (thread < THREADS_MAX)
			waiting[thread] += op->kind == EV_WRITE && op->flags & EVF_BUFFERED ? 1 : op->kind == EV_FLUSH ? -1 : 0;
		if (thread < THREADS_MAX && waiting[thread] < 0)
			fail("more stores have left a buffer than came in");
	}
	for (unsigned t = 0; t < THREADS_MAX && x->end == EXPLORE_EXIT; t++)
		if (waiting[t])
			fail("a store has stayed in its buffer");
}

/* The different locations of all stores that were in a buffer: under PSO a flush names one. */
static unsigned locations_of(const struct execution *x, uint64_t *out)
{
	unsigned n = 0;
	for (size_t i = 0; i < x->ops_count && n < LOCATIONS_MAX; i++) {
		if (x->ops[i].kind == OP_OUTPUT) {
			i += (x->ops[i].size + sizeof(struct wire_op) - 1) / sizeof(struct wire_op);
			continue;
		}
		unsigned k = 0;
		while (k < n && out[k] != x->ops[i].object)
			k++;
		if (x->ops[i].kind == EV_FLUSH && k == n)
			out[n++] = x->ops[i].object;
	}
	return n;
}

static void tell_awaits(const struct execution *x)
{
	unsigned awaits = 0;
	for (size_t i = 0; i < x->ops_count; i++) {
		if (x->ops[i].kind == OP_OUTPUT)
			i += (x->ops[i].size + sizeof(struct wire_op) - 1) / sizeof(struct wire_op);
		awaits += x->ops[i].kind == OP_AWAIT;
	}
	printf("end %d failure %u awaits %u\n", x->end, x->failure, awaits);
}

int main(int argc, char **argv)
{
	if (argc != 4)
		fail("usage: walk sc|tso|pso WALKS PROGRAM");
	bool is_pso = !strcmp(argv[1], "pso");
	struct worker_config config = { .path = argv[3], .argv = argv + 3, .restart = RESTART_FORK, .step_limit = 100000,
		.memory = is_pso ? MEMORY_PSO : !strcmp(argv[1], "tso") ? MEMORY_TSO : MEMORY_SC };
	struct worker worker;
	struct err err = { 0 };
	struct execution x;
	if (worker_start(&worker, &config, &err) || worker_run(&worker, &(struct plan){ 0 }, &x, &err))
		fail(err.text);
	if (!atoi(argv[2]))
		tell_awaits(&x);
	uint64_t locations[LOCATIONS_MAX];
	unsigned location_count = locations_of(&x, locations);
	for (int walk = atoi(argv[2]); walk > 0; walk--) {
		struct wire_turn turns[TURNS_MAX];
		uint64_t next_hook[THREADS_MAX] = { 0 }, hash = 0;
		struct plan plan = { .turns = turns };
		for (unsigned misses = 0; misses < 40 && plan.turns_count < TURNS_MAX;) {
			uint32_t thread = random_below(4);
			bool is_flush = config.memory && random_below(2);
			struct wire_turn *turn = &turns[plan.turns_count];
			*turn = (struct wire_turn){ thread, is_flush ? TURN_FLUSH : TURN_STEP, next_hook[thread] };
			if (is_flush)
				turn->hook = is_pso && location_count ? locations[random_below(location_count)] : 0;
			else
				turn->hook = next_hook[thread] + random_below(3);
			plan.turns_count++;
			if (worker_run(&worker, &plan, &x, &err))
				fail(err.text);
			check_buffers(&x);
			if (x.end == EXPLORE_DIVERGED) {
				plan.turns_count--;
				misses++;
				continue;
			}
			misses = 0;
			if (!is_flush)
				next_hook[thread] = turn->hook + 1;
			note_outcome(&x);
			hash = x.hash;
		}
		if (worker_run(&worker, &plan, &x, &err) || (hash && x.hash != hash))
			fail("the same plan gave other operations");
	}
	worker_release(&worker);
	qsort(outcomes, OUTCOMES_MAX, sizeof(*outcomes), by_text);
	for (unsigned i = 0; i < OUTCOMES_MAX; i++)
		if (outcomes[i].count)
			printf("%s: %u\n", outcomes[i].text, outcomes[i].count);
	return 0;
}
