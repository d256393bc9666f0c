/* SPDX-License-Identifier: Apache-2.0 */
/* Random programs for the interpreter.  Locks are paired, so that the programs make sense;
 * deadlocks still happen. */
#include <stdio.h>
#include <string.h>

#include "explore_vs_dfs/sim.h"

#define FEW 3 /* variables are enough for most programs */

struct maker {
	uint64_t state;
	struct sim_program *program;
	int thread, left;
	bool has_waits; /* timed waits and the like, of which few are enough */
};

static unsigned draw(struct maker *m, unsigned n)
{
	uint64_t z = (m->state += 0x9e3779b97f4a7c15ull);
	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
	z = (z ^ z >> 27) * 0x94d049bb133111ebull;
	return (unsigned)((z ^ z >> 31) % n);
}

static struct instruction *add(struct maker *m, unsigned kind, unsigned a, unsigned b)
{
	struct sim_program *p = m->program;
	int n = p->length[m->thread];
	if (n >= CODE_MAX - 1)
		return &p->code[m->thread][n - 1];
	m->left--;
	p->code[m->thread][n] = (struct instruction){ (uint8_t)kind, (uint8_t)a, (uint8_t)b, 0 };
	p->length[m->thread]++;
	return &p->code[m->thread][n];
}

static void add_access(struct maker *m)
{
	static const uint8_t kinds[] = { DO_READ, DO_READ,    DO_WRITE,	 DO_WRITE,
					 DO_ADD,  DO_COMPARE, DO_NOTHING };
	add(m, kinds[draw(m, sizeof(kinds))], draw(m, FEW), draw(m, 3));
}

/* A lock of some kind with something inside. */
static void add_section(struct maker *m)
{
	static const uint8_t pairs[][2] = {
		{ DO_LOCK, DO_UNLOCK },
		{ DO_LOCK, DO_UNLOCK },
		{ DO_TRY_LOCK, DO_UNLOCK },
		{ DO_TIMED_LOCK, DO_UNLOCK },
		{ DO_READ_LOCK, DO_READ_UNLOCK },
		{ DO_WRITE_LOCK, DO_WRITE_UNLOCK },
		{ DO_TRY_READ_LOCK, DO_READ_UNLOCK },
	};
	const uint8_t *pair = pairs[draw(m, 7)];
	unsigned object = draw(m, LOCKS);
	int n = m->program->length[m->thread];
	if (n >= CODE_MAX - 8)
		return;
	struct instruction *first = add(m, pair[0], object, 0);
	bool may_wait = pair[0] == DO_LOCK && m->has_waits;
	switch (draw(m, 6)) {
	case 0:
		if (may_wait)
			add(m, draw(m, 3) ? DO_WAIT : DO_TIMED_WAIT, draw(m, LOCKS), object);
		break;
	case 1:
		if (pair[0] == DO_LOCK)
			add(m, draw(m, 3) ? DO_SIGNAL : DO_BROADCAST, draw(m, LOCKS), 0);
		break;
	case 2:
		if (pair[1] == DO_UNLOCK && draw(m, 2)) {
			add(m, DO_LOCK, !object, 0);
			add(m, DO_UNLOCK, !object, 0);
		}
		break;
	default:
		add_access(m);
		break;
	}
	add(m, pair[1], object, 0);
	first->skip = (uint8_t)(m->program->length[m->thread] - n - 1);
}

static void add_something(struct maker *m)
{
	switch (draw(m, 16)) {
	case 0:
	case 1:
	case 2:
	case 3:
		add_section(m);
		break;
	case 4:
		add(m, DO_SEM_WAIT + draw(m, 4), 0, 0);
		break;
	case 5:
		add(m, DO_SEM_POST, 0, 0);
		break;
	case 6:
		add(m, draw(m, 2) ? DO_SIGNAL : DO_BROADCAST, draw(m, LOCKS), 0);
		break;
	case 7:
		add(m, draw(m, 2) ? DO_BARRIER : DO_AWAIT, draw(m, FEW), draw(m, 2));
		break;
	case 8:
		add(m, draw(m, 2) ? DO_CHOOSE : DO_OUTPUT, 0, 2 + draw(m, 2));
		break;
	case 9:
		add(m, DO_SKIP_IF, 0, draw(m, 2))->skip = 1;
		add_access(m);
		break;
	case 10:
		if (!m->program->joins_all)
			add(m, draw(m, 5) ? draw(m, 2) ? DO_ASSERT : DO_ASSUME : DO_EXIT, 0,
			    draw(m, 16));
		else
			add_access(m);
		break;
	default:
		add_access(m);
		break;
	}
}

void sim_random(struct sim_program *p, uint64_t seed, bool is_small)
{
	memset(p, 0, sizeof(*p));
	struct maker m = { .state = seed * 0x2545f4914f6cdd1dull, .program = p };
	p->threads = 2 + (int)draw(&m, is_small ? 2 : 3);
	p->semaphore = (int)draw(&m, 2);
	p->barrier = 2;
	p->joins_all = draw(&m, 4) != 0;
	m.has_waits = draw(&m, 2);
	for (int t = 1; t < p->threads; t++) {
		m.thread = t;
		m.left = 1 + (int)draw(&m, is_small ? 4 : 6);
		while (m.left > 0)
			add_something(&m);
	}
	/* Main creates the others, or some are created by the one before. */
	m.thread = 0;
	for (int t = 1; t < p->threads; t++)
		add(&m, DO_FORK, (unsigned)t, 0);
	m.left = (int)draw(&m, is_small ? 2 : 4);
	while (m.left > 0)
		add_something(&m);
	for (int t = 1; t < p->threads && p->joins_all; t++)
		add(&m, DO_JOIN, (unsigned)t, 0);
}

void sim_drop_values(struct sim_program *p, uint64_t seed)
{
	struct maker m = { .state = seed * 0x9fb21c651e98df25ull };
	for (int t = 0; t < p->threads; t++)
		for (int i = 0; i < p->length[t]; i++)
			if (p->code[t][i].kind == DO_READ && draw(&m, 2))
				p->code[t][i].b = READ_UNUSED;
}

/* Few variables and values, so that many writes leave the same; some threads only write. */
void sim_random_values(struct sim_program *p, uint64_t seed)
{
	memset(p, 0, sizeof(*p));
	struct maker m = { .state = seed * 0x2545f4914f6cdd1dull, .program = p };
	p->threads = 3 + (int)draw(&m, 2);
	p->barrier = 2;
	p->joins_all = true;
	for (int t = 1; t < p->threads; t++) {
		bool only_writes = draw(&m, 2);
		m.thread = t;
		m.left = 1 + (int)draw(&m, 4);
		while (m.left > 0) {
			unsigned kind = draw(&m, 16);
			if (kind == 0)
				add_section(&m);
			else if (kind == 1)
				add(&m, draw(&m, 2) ? DO_SEM_POST : DO_SEM_TRY, 0, 0);
			else if (kind == 2)
				add(&m, DO_COMPARE, draw(&m, 2), draw(&m, 2));
			else if (kind < 5)
				add(&m, DO_SKIP_IF, 0, draw(&m, 2))->skip = 1;
			else
				add(&m, only_writes || draw(&m, 2) ? DO_WRITE : DO_READ,
				    draw(&m, 2), draw(&m, 2));
		}
	}
	m.thread = 0;
	for (int t = 1; t < p->threads; t++)
		add(&m, DO_FORK, (unsigned)t, 0);
	m.left = (int)draw(&m, 2);
	while (m.left > 0)
		add_access(&m);
	for (int t = 1; t < p->threads; t++)
		add(&m, DO_JOIN, (unsigned)t, 0);
}

/* A cell, or if it is taken the next one. */
static void add_probe(struct maker *m)
{
	unsigned v = draw(m, VARIABLES);
	add(m, DO_COMPARE, v, 0);
	add(m, DO_SKIP_IF, 0, 0)->skip = 1;
	add(m, DO_COMPARE, (v + 1) % VARIABLES, 0);
}

void sim_random_accesses(struct sim_program *p, uint64_t seed)
{
	memset(p, 0, sizeof(*p));
	struct maker m = { .state = seed * 0x2545f4914f6cdd1dull, .program = p };
	bool probes = seed % 2;
	p->threads = probes ? THREADS_MAX : 4;
	p->barrier = 2;
	p->joins_all = true;
	for (int t = 1; t < p->threads; t++) {
		m.thread = t;
		m.left = probes ? 1 + 3 * (int)draw(&m, 2) : 2 + (int)draw(&m, 3);
		while (m.left > 0) {
			if (probes)
				add_probe(&m);
			else
				add_access(&m);
		}
	}
	m.thread = 0;
	for (int t = 1; t < p->threads; t++)
		add(&m, DO_FORK, (unsigned)t, 0);
	for (int t = 1; t < p->threads; t++)
		add(&m, DO_JOIN, (unsigned)t, 0);
}

void sim_print(const struct sim_program *p)
{
	static const char *const words[INSTRUCTION_KINDS] = {
		"nothing",	 "read",	"write",      "add",	      "compare",
		"lock",		 "try-lock",	"timed-lock", "unlock",	      "read-lock",
		"try-read-lock", "read-unlock", "write-lock", "write-unlock", "sem-wait",
		"sem-try",	 "sem-timed",	"sem-post",   "wait",	      "timed-wait",
		"signal",	 "broadcast",	"barrier",    "choose",	      "output",
		"skip-if",	 "assert",	"assume",     "fork",	      "join",
		"await",	 "exit",
	};
	printf("# semaphore %d, barrier %d%s\n", p->semaphore, p->barrier,
	       p->joins_all ? ", joins all" : "");
	for (int t = 0; t < p->threads; t++) {
		printf("# T%d:", t);
		for (int i = 0; i < p->length[t]; i++) {
			const struct instruction *c = &p->code[t][i];
			printf(" %s(%d,%d%s%.*d)", words[c->kind], c->a, c->b, c->skip ? ",+" : "",
			       c->skip ? 1 : 0, c->skip);
		}
		printf("\n");
	}
}
