/* SPDX-License-Identifier: Apache-2.0 */
/* One controlled run; see observer.h. */
#include "drive/observer.h"

#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/settings.h"
#include "report/frames.h"

static int on_region(void *arg, const struct region *r, struct err *err)
{
	struct observer *o = arg;
	return o->writer ? trace_writer_region(o->writer, r, err) : 0;
}

static int on_location(void *arg, const struct location *l, struct err *err)
{
	struct observer *o = arg;
	return o->writer ? trace_writer_location(o->writer, l, err) : 0;
}

static int on_stack(void *arg, const struct stack_node *s, struct err *err)
{
	struct observer *o = arg;
	return o->writer ? trace_writer_stack(o->writer, s, err) : 0;
}

static void on_note(void *arg, const char *text)
{
	struct observer *o = arg;
	vec_push(&o->notes, mem_strdup(text));
}

/* Libraries whose functions the runtime knows one by one; what they do is not hidden from it. */
static bool is_known_library(const char *name)
{
	static const char *const known[] = { "libc.so.",     "libm.so.",     "libpthread.so.",
					     "libdl.so.",    "librt.so.",    "ld-linux",
					     "libgcc_s.so.", "libstdc++.so." };
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (!strncmp(name, known[i], strlen(known[i])))
			return true;
	return false;
}

static bool is_unseen_library(const struct region *r)
{
	return r->kind == REGION_MODULE && !(r->flags & WIRE_MODULE_INSTRUMENTED) &&
	       !is_known_library(file_base_name(r->path));
}

/* Only the place of the read is known; but what a library allocated for itself is the library's
 * to write. */
static void note_outside_write(struct observer *o, const struct event *e)
{
	for (size_t i = 0; i < o->outside_writes.len; i++)
		if (o->outside_writes.at[i].loc == e->loc)
			return;
	struct observer_outside outside = { .loc = e->loc };
	const struct scene_block *block = scene_block_around(&o->scene, e->obj);
	const struct trace_tables *t = &o->decoder->tables;
	if (block) {
		uint32_t maker = t->locations.at[block->made.loc].region;
		if (maker && is_unseen_library(&t->regions.at[maker]))
			outside.library = maker;
	}
	vec_push(&o->outside_writes, outside);
}

static void note_refused(struct observer *o, const struct event *e)
{
	struct buf b = { 0 };
	buf_printf(&b, "not supported in a controlled run: %.*s, called by ", (int)e->data_len,
		   (const char *)e->data);
	names_thread(&o->names, e->thread, &b);
	const struct location *l = &o->decoder->tables.locations.at[e->loc];
	buf_printf(&b, " in %s%s", e->loc ? l->function : "",
		   e->loc && l->function[0] ? "() " : "");
	names_place(&o->names, e->loc, &b);
	mem_free(o->refused);
	o->refused = buf_take(&b);
}

static void add_finding(struct observer *o, const struct event *e)
{
	findings_add_failure(&o->findings, e, &o->scene, &o->names);
	vec_last(&o->findings.list).status = o->status;
}

/* What needs the whole scene to be understood. */
static bool needs_scene(const struct event *e)
{
	return e->kind == EV_OUTSIDE_WRITE || (e->kind == EV_FAILURE && e->a != FAILURE_REFUSED);
}

static void look_at_scene(struct observer *o, const struct event *e)
{
	if (e->kind == EV_OUTSIDE_WRITE)
		note_outside_write(o, e);
	else
		add_finding(o, e);
}

static void look_closer(struct observer *o, const struct event *e)
{
	if (needs_scene(e) && !o->is_live) {
		o->left_for_later++;
		return;
	}
	switch (e->kind) {
	case EV_FAILURE:
		if (e->a == FAILURE_REFUSED) {
			note_refused(o, e); /* heddle's shortcoming, not the program's */
			break;
		}
		/* fall through */
	case EV_OUTSIDE_WRITE:
		look_at_scene(o, e);
		break;
	case EV_CHOICE:
		o->choices++;
		break;
	case EV_PROCESS_END:
		o->has_process_end = true;
		break;
	}
}

static int write_event(void *arg, const struct event *e, struct err *err)
{
	struct observer *o = arg;
	return trace_writer_event(o->writer, e, err);
}

void observer_keep_shared(struct observer *o)
{
	o->sparse = sparse_new(write_event, o);
}

static int on_event(void *arg, const struct event *e, struct err *err)
{
	struct observer *o = arg;
	int rc = o->judge ? o->judge(o->judge_arg, e, err) : 0;
	if (rc)
		return rc;
	/* Blocks of memory are for findings, which are made from the trace if this is not live. */
	if (o->is_live || (e->kind != EV_ALLOC && e->kind != EV_FREE && e->kind != EV_RESIZE))
		scene_follow(&o->scene, e);
	witness_add(&o->witness, e, &o->decoder->tables);
	o->last_kind = e->kind;
	if (e->kind > EV_BRANCH)
		look_closer(o, e);
	if (o->sparse)
		return sparse_event(o->sparse, e, err);
	return o->writer ? trace_writer_event(o->writer, e, err) : 0;
}

static int on_site(void *arg, const struct trace_site *s, struct err *err)
{
	struct observer *o = arg;
	return o->writer && !o->sparse ? trace_writer_site(o->writer, s, err) : 0;
}

static int on_chunk(void *arg, const struct access_chunk *c, struct err *err)
{
	struct observer *o = arg;
	witness_add_chunk(&o->witness, c);
	if (c->accesses)
		o->last_kind = c->last_kind;
	return o->writer && !o->sparse ? trace_writer_chunk(o->writer, c, err) : 0;
}

/* An access of a chunk that the witness has already, and the trace, if chunks go into it. */
static int on_access(void *arg, const struct event *e, struct err *err)
{
	struct observer *o = arg;
	int rc = o->judge ? o->judge(o->judge_arg, e, err) : 0;
	if (!rc)
		scene_follow(&o->scene, e);
	return !rc && o->sparse ? sparse_event(o->sparse, e, err) : rc;
}

static bool resolve(void *arg, const struct region *module, unsigned depth, struct location *l)
{
	return source_resolve(arg, module, depth, l);
}

static char *build_id(void *arg, const char *path)
{
	return source_build_id(arg, path);
}

void observer_init(struct observer *o, const char *program_path, bool is_live)
{
	*o = (struct observer){ 0 };
	o->source = source_new();
	o->decoder = mem_alloc(sizeof(*o->decoder));
	o->is_live = is_live;
	o->sink = (struct decode_sink){ o,	 on_region, on_location, on_stack,
					on_site, on_event,  on_chunk,	 is_live ? on_access : NULL,
					on_note };
	o->resolver = (struct decode_resolver){ o->source, resolve, build_id };
	decode_init(o->decoder, &o->sink, &o->resolver);
	scene_init(&o->scene);
	witness_init(&o->witness);
	o->names = (struct names){ .tables = &o->decoder->tables,
				   .scene = &o->scene,
				   .source = o->source,
				   .program = program_path };
}

void observer_release(struct observer *o)
{
	if (o->writer)
		trace_writer_abandon(o->writer);
	sparse_free(o->sparse);
	names_release(&o->names);
	findings_release(&o->findings);
	witness_release(&o->witness);
	scene_release(&o->scene);
	decode_release(o->decoder);
	mem_free(o->decoder);
	source_free(o->source);
	for (size_t i = 0; i < o->notes.len; i++)
		mem_free(o->notes.at[i]);
	vec_release(&o->notes);
	vec_release(&o->outside_writes);
	mem_free(o->refused);
}

static bool locate(struct observer *o, const struct location *start, unsigned depth,
		   struct location *l)
{
	*l = *start;
	if (!source_resolve(o->source, &o->decoder->tables.regions.at[start->region], depth, l))
		return false;
	l->function = l->function ? l->function : mem_strdup("");
	l->file = l->file ? l->file : mem_strdup("");
	return true;
}

/* If none of the functions there is the user's own, the outermost. */
bool observer_locate(struct observer *o, uint64_t pc, struct location *l)
{
	uint64_t address = decode_address(o->decoder, pc);
	const struct trace_tables *t = &o->decoder->tables;
	uint32_t region = trace_region_of(t, address);
	if (!region || t->regions.at[region].kind != REGION_MODULE)
		return false;
	const struct location start = { .region = region,
					.offset = address - t->regions.at[region].start };
	locate(o, &start, 0, l);
	struct location outer;
	for (unsigned depth = 1; !frames_is_own(l) && locate(o, &start, depth, &outer); depth++) {
		mem_free(l->function);
		mem_free(l->file);
		*l = outer;
	}
	return true;
}

void observer_end_text(const struct observer *o, const struct run_result *r, struct buf *out)
{
	if (r->end == RUN_DAMAGED)
		buf_str(out, "lost");
	else if (r->end != RUN_ENDED || r->diverged)
		buf_str(out, "stopped");
	else if (WIFSIGNALED(r->wait_status))
		buf_printf(out, "signal %d", WTERMSIG(r->wait_status));
	else if (!o->has_process_end && o->last_kind == EV_FAILURE)
		buf_str(out, "stopped"); /* by the runtime: the status is not the program's own */
	else
		buf_printf(out, "exit %d", WEXITSTATUS(r->wait_status));
}

static void fact_number(struct trace_writer *w, const char *name, uint64_t n)
{
	char digits[24];
	snprintf(digits, sizeof(digits), "%llu", (unsigned long long)n);
	trace_writer_fact(w, name, digits);
}

static int finish_trace(struct observer *o, const struct run_result *r, struct err *err)
{
	struct buf end = { 0 };
	int rc = o->sparse ? sparse_finish(o->sparse, err) : 0;
	if (rc)
		return rc;
	observer_end_text(o, r, &end);
	fact_number(o->writer, "events",
		    o->sparse ? sparse_counts(o->sparse).kept : o->decoder->events);
	if (o->sparse) {
		fact_number(o->writer, TRACE_FACT_LEFT_OUT, sparse_counts(o->sparse).left_out);
		fact_number(o->writer, TRACE_FACT_ADDED, sparse_counts(o->sparse).added);
	}
	trace_writer_fact(o->writer, "end", end.at);
	fact_number(o->writer, "hooks", r->hooks);
	buf_release(&end);
	rc = trace_writer_close(o->writer, err);
	o->writer = NULL;
	return rc;
}

/*
 * The accesses went into the trace unseen.  For what needs the scene, the trace is read again
 * from its beginning; ids of places and stacks are the same in it.
 */
static int find_in_trace(struct observer *o, const char *path, struct err *err)
{
	struct trace_reader *r;
	int rc = trace_reader_open(&r, path, err);
	if (rc)
		return rc;
	scene_release(&o->scene);
	scene_init(&o->scene);
	struct event e;
	while ((rc = trace_reader_next(r, &e, err)) > 0) {
		scene_follow(&o->scene, &e);
		if (needs_scene(&e))
			look_at_scene(o, &e);
	}
	trace_reader_close(r);
	return rc;
}

/* An exploration has addresses as they are; modules are known now. */
static void keep_divided(struct observer *o, const struct session_config *c)
{
	struct wire_divided *d = &o->witness.divided;
	if (!c->divided)
		return;
	*d = *c->divided;
	for (uint64_t i = 0; i < d->count && c->policy == POLICY_EXPLORE; i++)
		d->places[i] = decode_address(o->decoder, d->places[i]);
}

int observer_run(struct observer *o, const struct run_options *options, struct run_result *result,
		 struct err *err)
{
	o->witness.memory = options->session.memory;
	o->witness.heap = options->session.heap;
	o->witness.spurious_wakeups = options->session.spurious_wakeups;
	o->witness.waits_for_stores =
		options->session.memory != MEMORY_SC &&
		(options->session.policy == POLICY_EXPLORE || options->session.waits_for_stores);
	int rc = run_program(options, o->decoder, result, err);
	keep_divided(o, &options->session);
	witness_finish(&o->witness, &o->decoder->tables);
	if (!rc && o->refused && result->end == RUN_ENDED) {
		result->end = RUN_UNSUPPORTED;
		err_set(&result->text, ERR_SUPPORT, "%s", o->refused);
	}
	if (!rc && o->writer)
		rc = finish_trace(o, result, err);
	if (!rc && o->left_for_later)
		rc = find_in_trace(o, o->trace_path, err);
	return rc;
}

/* The same library may have been opened several times. */
static bool is_new_unseen_library(const struct trace_tables *t, size_t i)
{
	bool is_new = is_unseen_library(&t->regions.at[i]);
	for (size_t k = 1; k < i && is_new; k++)
		is_new = strcmp(t->regions.at[k].path, t->regions.at[i].path) != 0;
	return is_new;
}

void observer_unseen_libraries(const struct observer *o, struct buf *out)
{
	const struct trace_tables *t = &o->decoder->tables;
	for (size_t i = 1; i < t->regions.len; i++) {
		if (!is_new_unseen_library(t, i))
			continue;
		if (out->len)
			buf_str(out, ", ");
		buf_str(out, file_base_name(t->regions.at[i].path));
	}
}

bool observer_assume_unseen(struct observer *o, struct report_summary *s)
{
	bool sees_all = true;
	const struct trace_tables *t = &o->decoder->tables;
	for (size_t i = 1; i < t->regions.len; i++) {
		if (!is_new_unseen_library(t, i))
			continue;
		report_assume_of(s, ASSUMES_UNINSTRUMENTED, "%s",
				 file_base_name(t->regions.at[i].path));
		sees_all = false;
	}
	for (size_t i = 0; i < o->outside_writes.len; i++) {
		struct buf place = { 0 };
		const struct observer_outside *outside = &o->outside_writes.at[i];
		names_place(&o->names, outside->loc, &place);
		if (outside->library)
			buf_printf(&place, " (%s)",
				   file_base_name(t->regions.at[outside->library].path));
		report_assume_of(s, ASSUMES_OUTSIDE_WRITE, "%s", place.at);
		buf_release(&place);
		sees_all = false;
	}
	return sees_all;
}

void observer_assumptions(struct observer *o, const struct run_result *r, struct report_summary *s)
{
	report_assume_of(s, ASSUMES_MEMORY_MODEL, "%s", memory_names[o->witness.memory]);
	report_assume_of(s, ASSUMES_HEAP, "%s", heap_names[o->witness.heap]);
	report_assume(s, ASSUMES_CLOCK_CAUSAL);
	bool sees_all = observer_assume_unseen(o, s);
	s->is_complete = sees_all && r->end == RUN_ENDED && !r->diverged &&
			 o->scene.threads.len <= 1 && !o->choices;
}

/* ---- its witness ---- */

void observer_identify_witness(struct observer *o, const struct target *p, char *const *argv,
			       const struct run_options *options)
{
	struct witness *w = &o->witness;
	w->program = mem_strdup(p->path.at);
	w->build_id = mem_strdup(p->info.build_id);
	w->step_limit = options->session.step_limit;
	w->has_branches = options->session.branch_events;
	if (strcmp(argv[0], p->path.at))
		w->name = mem_strdup(argv[0]);
	for (size_t i = 1; argv[i]; i++)
		vec_push(&w->args, mem_strdup(argv[i]));
	for (char **variable = environ; *variable; variable++)
		vec_push(&w->environment, mem_strdup(*variable));
	if (!environ[0]) /* so that it is not taken for unknown */
		vec_push(&w->environment, mem_strdup(""));
}

int observer_save_witness(struct observer *o, const struct finding *f, const char *path,
			  struct err *err)
{
	struct witness *w = &o->witness;
	mem_free(w->kind);
	mem_free(w->message);
	w->kind = f ? mem_strdup(finding_kind_name(f->kind)) : NULL;
	w->message = f ? mem_strdup(f->message) : NULL;
	w->race[0] = f ? f->race_events[0] : 0;
	w->race[1] = f ? f->race_events[1] : 0;
	return witness_save(w, path, err);
}

int observer_write_witness(struct observer *o, const struct target *p, char *const *argv,
			   const struct run_options *options, const char *path, struct err *err)
{
	observer_identify_witness(o, p, argv, options);
	return observer_save_witness(o, o->findings.list.len ? &o->findings.list.at[0] : NULL, path,
				     err);
}
