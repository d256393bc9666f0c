/* SPDX-License-Identifier: Apache-2.0 */
/*
 * races: reads a trace in text form, or STD lines, and prints every pair of places that race by a
 * plain happens-before pass, sorted.  Both forms of one trace must give the same pairs.
 *
 * All operations on one object of synchronisation are ordered the way they happened; so are the
 * accesses of one atomic byte.  Every access is compared with every earlier one of the same byte
 * or variable, so it is for short traces.  Only the parser of the validator's events is shared
 * with anything.
 */
#include "../record_vs_validator/validator/event.h"

#define THREADS 64
#define PLACES 4096

struct clock {
	uint32_t of[THREADS];
};

/* An object: a lock, a condition variable, an atomic byte ...; or a variable with its accesses. */
struct object {
	struct object *next;
	char *name;
	struct clock clock;
	uint64_t owner, depth; /* of a lock */
	struct access {
		uint32_t thread, time, place;
		bool writes;
	} * accesses;
	size_t count, cap;
};

static struct object *objects[65536];
static struct clock clocks[THREADS];
static bool is_race[PLACES][PLACES];

static struct object *object_at(const char *name)
{
	uint32_t hash = 5381;
	for (const char *c = name; *c; c++)
		hash = hash * 33 + (unsigned char)*c;
	struct object **at = &objects[hash % 65536];
	for (struct object *o = *at; o; o = o->next)
		if (!strcmp(o->name, name))
			return o;
	struct object *o = zeroed(sizeof(*o));
	o->name = strdup(name);
	o->owner = NONE;
	o->next = *at;
	return *at = o;
}

/* Objects of the text form: what kind of thing it is, and its address. */
static struct object *object_of(const char *what, uint64_t address)
{
	char name[64];
	snprintf(name, sizeof(name), "%s %" PRIx64, what, address);
	return object_at(name);
}

static void join_clock(struct clock *c, const struct clock *other)
{
	for (unsigned i = 0; i < THREADS; i++)
		if (other->of[i] > c->of[i])
			c->of[i] = other->of[i];
}

static struct clock *clock_of(uint64_t thread)
{
	if (thread >= THREADS)
		unreadable("too many threads");
	if (!clocks[thread].of[thread])
		clocks[thread].of[thread] = 1;
	return &clocks[thread];
}

static void take(uint64_t thread, const struct object *o)
{
	join_clock(clock_of(thread), &o->clock);
}

static void give(uint64_t thread, struct object *o)
{
	join_clock(&o->clock, clock_of(thread));
	clocks[thread].of[thread]++;
}

static void touch(uint64_t thread, struct object *o, bool writes, uint64_t place)
{
	const struct clock *now = clock_of(thread);
	if (place >= PLACES)
		unreadable("too many places");
	for (size_t i = 0; i < o->count; i++) {
		const struct access *a = &o->accesses[i];
		if (a->thread == thread || (!a->writes && !writes) || a->time <= now->of[a->thread])
			continue;
		is_race[a->place < place ? a->place : place][a->place < place ? place : a->place] =
			true;
	}
	if (o->count == o->cap) {
		o->cap = o->cap ? 2 * o->cap : 8;
		o->accesses = realloc(o->accesses, o->cap * sizeof(*o->accesses));
		if (!o->accesses)
			unreadable("out of memory");
	}
	o->accesses[o->count++] =
		(struct access){ (uint32_t)thread, now->of[thread], (uint32_t)place, writes };
}

static void create(uint64_t thread, uint64_t child)
{
	join_clock(clock_of(child), clock_of(thread));
	clocks[thread].of[thread]++;
}

static void join_thread(uint64_t thread, uint64_t child)
{
	join_clock(clock_of(thread), clock_of(child));
}

/* ---- the text form ---- */

static bool is_one_of(const char *word, const char *words)
{
	size_t len = strlen(word);
	for (const char *at = words; (at = strstr(at, word)); at++)
		if ((at == words || at[-1] == ' ') && (at[len] == ' ' || !at[len]))
			return true;
	return false;
}

static void text_access(const struct event *e)
{
	bool is_atomic = *e->mode, is_write = !strcmp(e->kind, "write"),
	     is_rmw = !strcmp(e->kind, "rmw");
	for (uint64_t i = 0; is_atomic && i < e->size; i++)
		take(e->thread, object_of("sync", e->obj + i));
	for (uint64_t i = 0; i < e->size; i++) {
		if (!is_write)
			touch(e->thread, object_of("byte", e->obj + i), false, e->location);
		if (is_write || (is_rmw && !e->is_failed))
			touch(e->thread, object_of("byte", e->obj + i), true, e->location);
	}
	for (uint64_t i = 0; is_atomic && i < e->size; i++)
		join_clock(&object_of("sync", e->obj + i)->clock, clock_of(e->thread));
	if (is_atomic)
		clock_of(e->thread)->of[e->thread]++;
}

static void text_lock(const struct event *e)
{
	struct object *l = object_of("lock", e->obj);
	bool acquires = !strcmp(e->kind, "acquire");
	if (is_one_of(e->mode, "rdlock annotated-shared")) {
		if (l->owner == NONE) {
			take(e->thread, l);
			give(e->thread, l);
		}
		return;
	}
	if (acquires ? l->owner != NONE && l->owner != e->thread : l->owner != e->thread)
		return;
	l->depth = acquires ? l->depth + 1 : !strcmp(e->kind, "orphan") ? 0 : l->depth - 1;
	l->owner = l->depth ? e->thread : NONE;
	if (acquires && l->depth == 1)
		take(e->thread, l);
	else if (!acquires && !l->depth)
		give(e->thread, l);
}

static void text_event(const struct event *e)
{
	static const char others[] = "wait wake signal broadcast barrier-in barrier-out sem-post "
				     "sem-wait once-begin once-end";
	if (is_one_of(e->kind, "read write rmw"))
		text_access(e);
	else if (is_one_of(e->kind, "acquire release orphan"))
		text_lock(e);
	else if (!strcmp(e->kind, "fork"))
		create(e->thread, e->a);
	else if (!strcmp(e->kind, "join"))
		join_thread(e->thread, e->a);
	else if (is_one_of(e->kind, others) ||
		 (!strcmp(e->kind, "annotation") &&
		  is_one_of(e->mode, "happens-before happens-after"))) {
		struct object *o = object_of("sync", e->obj);
		take(e->thread, o);
		give(e->thread, o);
	}
}

/* ---- STD ---- */

static void std_line(char *line)
{
	char *rest, *thread = strtok_r(line, "|", &rest), *op = strtok_r(NULL, "|", &rest),
		    *place = strtok_r(NULL, "|", &rest);
	if (!place || *thread != 'T')
		unreadable("this is no line of STD");
	uint64_t t = number(thread + 1);
	char *target = op + strcspn(op, "(");
	if (*target) {
		*target++ = 0;
		target[strlen(target) - 1] = 0;
	}
	if (!strcmp(op, "r") || !strcmp(op, "w"))
		touch(t, object_at(target), *op == 'w', number(place));
	else if (!strcmp(op, "acq"))
		take(t, object_at(target));
	else if (!strcmp(op, "rel"))
		give(t, object_at(target));
	else if (!strcmp(op, "fork"))
		create(t, number(target + 1));
	else if (!strcmp(op, "join"))
		join_thread(t, number(target + 1));
	else if (!is_one_of(op, "begin end br req"))
		unreadable("STD has no such operation");
}

int main(void)
{
	char *line = NULL;
	size_t space = 0;
	bool is_std = true;
	while (getline(&line, &space, stdin) > 0) {
		line[strcspn(line, "\n")] = 0;
		if (!line_number++)
			is_std = strncmp(line, "heddle-trace ", 13);
		if (is_std) {
			std_line(line);
		} else if (line[0] == 'T') {
			struct event e = parse_event(line);
			text_event(&e);
		}
	}
	free(line);
	for (unsigned i = 0; i < PLACES; i++)
		for (unsigned k = i; k < PLACES; k++)
			if (is_race[i][k])
				printf("%u %u\n", i, k);
	return 0;
}
