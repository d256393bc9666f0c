/* SPDX-License-Identifier: Apache-2.0 */
/* What a replay repeats, read from a witness or a trace; see reference.h. */
#include "drive/reference.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/settings.h"

/* ---- loading ---- */

static char *copy_fact(const struct trace_tables *t, const char *name)
{
	const char *value = trace_fact(t, name);
	return mem_strdup(value ? value : "");
}

static void keep_facts(struct reference *ref, const struct trace_tables *t)
{
	for (size_t i = 0; i < t->facts.len; i++) {
		struct trace_fact f = { mem_strdup(t->facts.at[i].name),
					mem_strdup(t->facts.at[i].value) };
		if (f.name[0])
			vec_push(&ref->facts, f);
		else
			mem_free(f.name), mem_free(f.value);
	}
}

static const char *numbered_fact(const struct trace_tables *t, const char *what, size_t i)
{
	char name[32];
	snprintf(name, sizeof(name), "%s.%zu", what, i);
	return trace_fact(t, name);
}

static void take_identity(struct witness *w, const struct trace_tables *t)
{
	w->program = copy_fact(t, "program");
	w->build_id = copy_fact(t, "build-id");
	const char *steps = trace_fact(t, "steps");
	for (; steps && *steps >= '0' && *steps <= '9'; steps++)
		w->step_limit = w->step_limit * 10 + (uint64_t)(*steps - '0');
	const char *branches = trace_fact(t, TRACE_FACT_BRANCHES);
	w->has_branches = branches && !strcmp(branches, TRACE_BRANCHES_FULL);
	const char *model = trace_fact(t, "memory-model"), *heap = trace_fact(t, "heap");
	int place = model ? name_index(memory_names, model, strlen(model)) : -1;
	w->memory = place < 0 ? MEMORY_SC : (enum wire_memory)place;
	place = heap ? name_index(heap_names, heap, strlen(heap)) : -1;
	w->heap = place < 0 ? HEAP_FRESH : (enum wire_heap)place;
	const char *stores = trace_fact(t, "stores");
	w->waits_for_stores = stores && !strcmp(stores, "awaited");
	const char *spurious = trace_fact(t, "spurious-wakeups");
	w->spurious_wakeups = spurious ? strtoull(spurious, NULL, 10) : 0;
	const char *name;
	for (size_t i = 0; i < WIRE_DIVIDED_MAX && (name = numbered_fact(t, "divided", i)); i++)
		w->divided.places[w->divided.count++] = strtoull(name, NULL, 16);
	name = trace_fact(t, "signals");
	w->divided.signals = name ? strtoull(name, NULL, 16) : 0;
	name = trace_fact(t, "cancels");
	w->divided.cancels = name ? strtoull(name, NULL, 16) : 0;
	name = trace_fact(t, "exposed");
	w->divided.exposed = name ? strtoull(name, NULL, 16) : 0;
	name = trace_fact(t, "name");
	if (name)
		w->name = mem_strdup(name);
	for (size_t i = 0; (name = numbered_fact(t, "arg", i)); i++)
		vec_push(&w->args, mem_strdup(name));
	for (size_t i = 0; (name = numbered_fact(t, "env", i)); i++)
		vec_push(&w->environment, mem_strdup(name));
}

static uint64_t number_fact(const struct trace_tables *t, const char *name)
{
	const char *value = trace_fact(t, name);
	return value ? strtoull(value, NULL, 10) : 0;
}

/* The run had events that the trace does not have; how many, only a complete one says. */
static int count_left_out(struct reference *ref, const struct trace_tables *t, struct err *err)
{
	const char *accesses = trace_fact(t, TRACE_FACT_ACCESSES);
	ref->is_sparse = accesses && !strcmp(accesses, TRACE_ACCESSES_SHARED);
	if (!ref->is_sparse)
		return 0;
	if (ref->is_cut_off)
		return err_set(err, ERR_SUPPORT,
			       "%s was cut off and was recorded with --accesses=shared: where the "
			       "run ended is not known, so it cannot be replayed",
			       ref->path);
	ref->witness.events +=
		number_fact(t, TRACE_FACT_LEFT_OUT) - number_fact(t, TRACE_FACT_ADDED);
	return 0;
}

/* A trace holds its schedule: its switches and choices make the witness. */
static int load_trace(struct reference *ref, struct err *err)
{
	struct trace_reader *r;
	int rc = trace_reader_open(&r, ref->path, err);
	if (rc)
		return rc;
	ref->is_trace = true;
	const struct trace_tables *t = trace_reader_tables(r);
	struct event e;
	bool is_first = true;
	while ((rc = trace_reader_next(r, &e, err)) > 0) {
		if (is_first)
			keep_facts(ref, t);
		is_first = false;
		witness_add(&ref->witness, &e, t);
	}
	witness_finish(&ref->witness, t);
	take_identity(&ref->witness, t);
	ref->is_cut_off = !rc && !trace_reader_is_complete(r);
	if (!rc)
		rc = count_left_out(ref, t, err);
	trace_reader_close(r);
	return rc;
}

int reference_load(struct reference *ref, const char *path, struct err *err)
{
	ref->path = path;
	witness_init(&ref->witness);
	FILE *f = fopen(path, "re");
	if (!f)
		return err_set(err, ERR_IO, "cannot open %s: %m", path);
	char bytes[32];
	size_t n = fread(bytes, 1, sizeof(bytes), f);
	fclose(f);
	if (!witness_is(bytes, n))
		return load_trace(ref, err);
	return witness_load(&ref->witness, path, err);
}

void reference_release(struct reference *ref)
{
	witness_release(&ref->witness);
	for (size_t i = 0; i < ref->facts.len; i++) {
		mem_free(ref->facts.at[i].name);
		mem_free(ref->facts.at[i].value);
	}
	vec_release(&ref->facts);
}

/* ---- what a replay must know ---- */

bool reference_ends_by_itself(const struct reference *ref)
{
	const struct witness_segment *last = &vec_last(&ref->witness.segments);
	return !ref->is_cut_off &&
	       (last->last_kind == EV_PROCESS_END || last->last_kind == EV_FAILURE);
}

uint64_t reference_end(const struct reference *ref)
{
	const struct witness *w = &ref->witness;
	return witness_has_race(w) ? w->race[1] + 1 : w->events;
}

int reference_check_program(const struct reference *ref, const struct target *p, struct err *err)
{
	const char *wanted = ref->witness.build_id;
	if (!strcmp(wanted, p->info.build_id))
		return 0;
	return err_set(
		err, ERR_PROGRAM,
		"%s is not the program that %s was made with: its build-id is %s, not %s; --force "
		"runs it all the same",
		p->path.at, ref->path, p->info.build_id[0] ? p->info.build_id : "missing",
		wanted[0] ? wanted : "missing");
}

char **reference_argv(const struct reference *ref, int argc, char **argv)
{
	size_t n = argc > 1 ? (size_t)argc - 1 : ref->witness.args.len;
	char **out = mem_zero(n + 2, sizeof(*out));
	out[0] = ref->witness.name ? ref->witness.name : ref->witness.program;
	for (size_t i = 0; i < n; i++)
		out[i + 1] = argc > 1 ? argv[i + 1] : ref->witness.args.at[i];
	return out;
}

/* ---- the trace of a replay ---- */

static void write_word(struct trace_writer *w, const char *name, uint64_t word)
{
	char text[24];
	snprintf(text, sizeof(text), "%016llx", (unsigned long long)word);
	trace_writer_fact(w, name, text);
}

static void write_divided(struct trace_writer *w, const struct wire_divided *d)
{
	if (d->signals)
		write_word(w, "signals", d->signals);
	if (d->cancels)
		write_word(w, "cancels", d->cancels);
	if (d->exposed)
		write_word(w, "exposed", d->exposed);
	for (uint64_t i = 0; i < d->count; i++) {
		char name[32];
		snprintf(name, sizeof(name), "divided.%llu", (unsigned long long)i);
		write_word(w, name, d->places[i]);
	}
}

void reference_write_facts(const struct reference *ref, struct trace_writer *w)
{
	/* This one has everything. */
	for (size_t i = 0; i < ref->facts.len; i++)
		if (strcmp(ref->facts.at[i].name, TRACE_FACT_ACCESSES))
			trace_writer_fact(w, ref->facts.at[i].name, ref->facts.at[i].value);
	if (ref->is_trace)
		return;
	trace_writer_fact(w, "program", ref->witness.program);
	trace_writer_fact(w, "build-id", ref->witness.build_id);
	trace_writer_fact(w, "schedule", "witness");
	if (ref->witness.has_branches)
		trace_writer_fact(w, TRACE_FACT_BRANCHES, TRACE_BRANCHES_FULL);
	trace_writer_fact(w, "memory-model", memory_names[ref->witness.memory]);
	trace_writer_fact(w, "heap", heap_names[ref->witness.heap]);
	if (ref->witness.waits_for_stores)
		trace_writer_fact(w, "stores", "awaited");
	write_divided(w, &ref->witness.divided);
	if (ref->witness.spurious_wakeups) {
		char number[24];
		snprintf(number, sizeof(number), "%llu",
			 (unsigned long long)ref->witness.spurious_wakeups);
		trace_writer_fact(w, "spurious-wakeups", number);
	}
}
