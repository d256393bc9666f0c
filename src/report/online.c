/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Findings from messages; see online.h.  A message comes from a process in which anything may
 * have gone wrong: a line that is not understood is left out, numbers are checked against what
 * was announced before.
 */
#include "report/online.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "report/frames.h"
#include "report/online_message.h"
#include "report/online_words.h"
#include "trace/block.h"
#include "wire/run.h"

#define REGIONS_START (1ull << 56)
#define REGION_MAX (1ull << 40)
#define THREADS_MAX 65536 /* whose names are kept */

void online_init(struct online *o, const char *program)
{
	*o = (struct online){ 0 };
	tables_init(&o->tables);
	if (!realpath(program, o->program))
		o->program[0] = 0;
	o->names =
		(struct names){ .tables = &o->tables, .source = source_new(), .program = program };
}

void online_release(struct online *o)
{
	findings_release(&o->findings);
	names_release(&o->names);
	source_free(o->names.source);
	trace_tables_release(&o->tables);
	map_release(&o->locations);
	map_release(&o->known);
	suppressions_release(&o->suppressions);
}

/* ---- places ---- */

static uint32_t region_for(struct online *o, const struct message_module *m)
{
	for (size_t i = 1; i < o->tables.regions.len; i++)
		if (!strcmp(o->tables.regions.at[i].path, m->path))
			return (uint32_t)i;
	/* The distribution's libraries are not looked into: their debug files take long, and say
	 * nothing about the program. */
	bool is_systems = !strncmp(m->path, "/lib", 4) || !strncmp(m->path, "/usr/lib", 8);
	/* Processes may have modules at different addresses; those of regions are made up, so that
	 * regions do not overlap. */
	const struct region *last =
		o->tables.regions.len > 1 ? &vec_last(&o->tables.regions) : NULL;
	uint64_t start = last ? last->start + last->size : REGIONS_START;
	struct region r = { .start = start,
			    .size = m->size < REGION_MAX ? m->size : REGION_MAX,
			    .kind = REGION_MODULE,
			    .flags = is_systems ? 0 : WIRE_MODULE_INSTRUMENTED,
			    .thread = THR_NONE,
			    .path = mem_strdup(m->path),
			    .build_id = mem_strdup("") };
	vec_push(&o->tables.regions, r);
	return (uint32_t)(o->tables.regions.len - 1);
}

/* Of all functions that are inlined there, outermost first: trace_outer(). */
static void add_locations(struct online *o, uint32_t region, uint64_t offset)
{
	VEC(struct location) frames = { 0 };
	struct location l = { .region = region, .offset = offset };
	while (source_resolve(o->names.source, &o->tables.regions.at[region], (unsigned)frames.len,
			      &l)) {
		l.function = l.function ? l.function : mem_strdup("");
		l.file = l.file ? l.file : mem_strdup("");
		vec_push(&frames, l);
		l = (struct location){ .region = region, .offset = offset };
	}
	while (frames.len)
		vec_push(&o->tables.locations, frames.at[--frames.len]);
	vec_release(&frames);
}

static loc_id location_for(struct online *o, const struct message *m, const struct message_frame *f)
{
	const struct message_module *module = &m->modules.at[f->module];
	uint64_t key = hash_mix(hash_bytes(0, module->path, strlen(module->path)), f->offset);
	bool is_new;
	uint64_t *slot = map_put(&o->locations, key, &is_new);
	if (!is_new)
		return (loc_id)*slot;
	add_locations(o, region_for(o, module), f->offset);
	*map_get(&o->locations, key) = o->tables.locations.len - 1;
	return (loc_id)(o->tables.locations.len - 1);
}

/* The stack without its innermost frame, outermost made first. */
static stack_id stack_for(struct online *o, const struct message *m,
			  const struct message_frame *frames, size_t n)
{
	stack_id parent = 0;
	for (size_t i = n; i-- > 1;) {
		struct stack_node node = { .parent = parent,
					   .loc = location_for(o, m, &frames[i]) };
		vec_push(&o->tables.stacks, node);
		parent = (stack_id)(o->tables.stacks.len - 1);
	}
	return parent;
}

static struct scene_place place_of(struct online *o, const struct message *m, uint64_t thread,
				   const struct message_stack *s)
{
	struct scene_place p = { .thread = (thr_id)thread, .is_known = true };
	if (s->frames.len) {
		p.loc = location_for(o, m, &s->frames.at[0]);
		p.stack = stack_for(o, m, s->frames.at, s->frames.len);
	}
	return p;
}

/* An address of the process as one of the tables. */
static uint64_t address_of(struct online *o, const struct message *m, uint64_t address)
{
	for (size_t i = 0; i < m->modules.len; i++) {
		const struct message_module *module = &m->modules.at[i];
		if (module->path && address - module->start < module->size)
			return o->tables.regions.at[region_for(o, module)].start + address -
			       module->start;
	}
	return address;
}

/* ---- the scene of a message ---- */

static uint8_t mode_of(const struct message_lock *l)
{
	return online_mode_named(l->kind, l->is_write);
}

static void add_sync(struct scene *scene, uint64_t object, uint8_t mode)
{
	scene_follow(scene, &(struct event){ .kind = EV_SYNC_INIT, .obj = object, .mode = mode });
}

/* What the message says about threads, locks and the block, for the namer. */
static void make_scene(struct online *o, const struct message *m, enum finding_kind kind,
		       struct scene *scene)
{
	scene_init(scene);
	for (size_t i = 0; i < m->threads.len; i++) {
		const struct message_thread *t = &m->threads.at[i];
		if (t->number < THREADS_MAX && t->name[0])
			scene_follow(scene, &(struct event){ .kind = EV_THREAD_NAME,
							     .thread = (thr_id)t->number,
							     .data = (const uint8_t *)t->name,
							     .data_len = strlen(t->name) });
	}
	for (size_t i = 0; i < m->acts.len; i++)
		for (size_t k = 0; k < m->acts.at[i].locks.len; k++) {
			const struct message_lock *l = &m->acts.at[i].locks.at[k];
			add_sync(scene, address_of(o, m, l->address), mode_of(l));
		}
	for (size_t i = 0; i < m->acts.len; i++)
		if (m->acts.at[i].wait_kind && strcmp(m->acts.at[i].wait_kind, "thread"))
			add_sync(scene, address_of(o, m, m->acts.at[i].wait_object),
				 online_mode_named(m->acts.at[i].wait_kind, true));
	if (m->object)
		add_sync(scene, address_of(o, m, m->address), online_mode_named(m->object, true));
	if (kind == FINDING_LOST_SIGNAL)
		add_sync(scene, address_of(o, m, m->address), SYNC_COND);
	if (!m->block.size)
		return;
	struct scene_place made = place_of(o, m, m->block.thread, &m->block.stack);
	scene_follow(scene, &(struct event){ .kind = EV_ALLOC,
					     .obj = m->block.start,
					     .size = m->block.size,
					     .loc = made.loc,
					     .stack = made.stack });
}

/* ---- the finding ---- */

/* Of an access that touches more than both have in common; otherwise 0. */
static uint64_t extent_of(const struct message *m, size_t i)
{
	if (m->acts.len < 2 || i > 1)
		return 0;
	const struct message_act *a = &m->acts.at[i], *other = &m->acts.at[1 - i];
	return a->address < other->address || a->address + a->size > other->address + other->size
		       ? a->size
		       : 0;
}

/* "waits for mutex m, which T1 'worker' holds" */
static void add_wait(struct online *o, const struct message *m, const struct message_act *a,
		     struct buf *out)
{
	bool has_holder = a->wait_holder != RUN_NO_THREAD;
	buf_str(out, "waits for ");
	if (!strcmp(a->wait_kind, "thread")) {
		if (has_holder)
			names_thread(&o->names, (thr_id)a->wait_holder, out);
		else
			buf_str(out, "a thread");
		buf_str(out, " to end");
		return;
	}
	names_sync(&o->names, address_of(o, m, a->wait_object), out);
	if (!has_holder)
		return;
	buf_str(out, ", which ");
	names_thread(&o->names, (thr_id)a->wait_holder, out);
	buf_str(out, " holds");
}

static void add_act(struct online *o, struct finding *f, const struct message *m,
		    const struct online_kind *kind, size_t i)
{
	const struct message_act *a = &m->acts.at[i];
	struct finding_part part = { .role = finding_role_of(kind->observed, i),
				     .at = place_of(o, m, a->thread, &a->stack),
				     .about = { .act = online_act_of(a),
						.is_atomic = a->is_atomic } };
	struct buf text = { 0 };
	if (kind->observed == SENTENCE_RUN_LEAKED)
		part.at.is_known = i; /* the first act is the end of the thread */
	else if (part.role == ROLE_NONE)
		part.role = online_shows_all_threads(kind->kind) ? ROLE_IS_HERE : ROLE_ACTS;
	if (a->wait_kind) {
		part.role = ROLE_WAITS;
		add_wait(o, m, a, &text);
		part.about.text = text.at;
	}
	part.about.other = i < m->acts.len ? (thr_id)m->acts.at[0].thread : THR_NONE;
	part.about.object = address_of(o, m, a->address);
	part.about.number = part.role == ROLE_USES_DESCRIPTOR ? a->address : extent_of(m, i);
	finding_add_place(f, &part, &o->names);
	buf_release(&text);
}

static void note_locks(struct online *o, struct finding *f, const struct message *m,
		       const struct message_act *a)
{
	VEC(struct scene_lock) held = { 0 };
	for (size_t i = 0; i < a->locks.len; i++) {
		const struct message_lock *l = &a->locks.at[i];
		struct scene_place acquired = place_of(o, m, a->thread, &l->stack);
		acquired.is_known = l->stack.frames.len;
		struct scene_lock lock = { address_of(o, m, l->address), 1, mode_of(l), acquired };
		vec_push(&held, lock);
	}
	finding_note_locks(f, &o->names, (thr_id)a->thread, held.at, held.len, 0);
	vec_release(&held);
}

/* Where the block was allocated and the threads were created. */
static void add_context(struct online *o, struct finding *f, const struct message *m)
{
	struct finding_part block = { .role = ROLE_ALLOCATED,
				      .at = place_of(o, m, m->block.thread, &m->block.stack),
				      .about = { .number = m->block.size } };
	if (m->block.stack.frames.len)
		finding_add_place(f, &block, &o->names);
	for (size_t i = 0; i < m->threads.len; i++) {
		const struct message_thread *t = &m->threads.at[i];
		struct finding_part creator = { .role = ROLE_CREATOR,
						.at = place_of(o, m, t->creator, &t->stack),
						.about = { .other = (thr_id)t->number } };
		if (t->stack.frames.len)
			finding_add_place(f, &creator, &o->names);
	}
}

static struct finding make_finding(struct online *o, const struct message *m,
				   const struct online_kind *kind)
{
	const struct message_act *a = &m->acts.at[0], *b = m->acts.len > 1 ? &m->acts.at[1] : NULL;
	bool is_descriptor = finding_role_of(kind->observed, 0) == ROLE_USES_DESCRIPTOR;
	struct buf text = { 0 };
	online_add_text(m, kind->kind, &text);
	struct finding_input in = {
		.sentence = online_sentence_of(m, kind),
		.status = online_status_of(m),
		.about = { .thread = (thr_id)a->thread,
			   .other = b ? (thr_id)b->thread : THR_NONE,
			   .act = online_act_of(a),
			   .other_act = b ? online_act_of(b) : ACT_USE,
			   .is_atomic = a->is_atomic,
			   .other_is_atomic = b && b->is_atomic,
			   .object = is_descriptor ? 0 : address_of(o, m, m->address),
			   .number = is_descriptor ? m->address : 0,
			   .text = text.at },
	};
	struct finding f = finding_make(&in, &o->names);
	buf_release(&text);
	online_add_status(&f, m);
	for (size_t i = 0; i < m->acts.len; i++)
		add_act(o, &f, m, kind, i);
	for (size_t i = 0; i < m->acts.len; i++)
		note_locks(o, &f, m, &m->acts.at[i]);
	if (m->more)
		finding_add_note(&f, "%llu more threads are not shown",
				 (unsigned long long)m->more);
	if (b && !b->stack.frames.len && online_is_pair(kind->kind))
		finding_add_note(&f, "the stack of the older action is not known any more "
				     "(history_size keeps more)");
	/* The executable is the first module. */
	const char *file = m->modules.len ? m->modules.at[0].path : NULL;
	if (file && strcmp(file, o->program))
		finding_add_note(&f, "in process %llu, %s", (unsigned long long)m->pid, file);
	add_context(o, &f, m);
	return f;
}

/* ---- suppressions ---- */

/* What a suppression is compared with. */
enum scope { WHOLE_STACK, TOP_FUNCTION, MODULES };

static bool stack_matches(struct online *o, const struct message *m, const struct message_stack *s,
			  enum scope scope, const char *pattern)
{
	for (size_t i = 0; i < s->frames.len && (scope != TOP_FUNCTION || !i); i++) {
		if (suppression_matches(pattern, m->modules.at[s->frames.at[i].module].path))
			return true;
		loc_id loc = scope == MODULES ? 0 : location_for(o, m, &s->frames.at[i]);
		for (; loc; loc = scope == TOP_FUNCTION ? 0 : trace_outer(&o->tables, loc)) {
			const struct location *l = &o->tables.locations.at[loc];
			if (suppression_matches(pattern, l->function) ||
			    (l->file[0] && suppression_matches(pattern, l->file)))
				return true;
		}
	}
	return false;
}

/* The name of what lies at an address of a module; "" elsewhere. */
static void add_data(struct online *o, const struct message *m, uint64_t address, struct buf *out)
{
	uint64_t at = address_of(o, m, address);
	uint32_t region = trace_region_of(&o->tables, at);
	if (region)
		source_data_name(o->names.source, &o->tables.regions.at[region],
				 at - o->tables.regions.at[region].start, out);
}

static bool is_suppressed(struct online *o, const struct message *m, const struct online_kind *kind)
{
	for (size_t i = 0; i < o->suppressions.list.len; i++) {
		struct suppression *s = &o->suppressions.list.at[i];
		bool is_meant = !strcmp(s->kind, kind->suppression) ||
				!strcmp(s->kind, finding_kind_name(kind->kind)) ||
				!strcmp(s->kind, "called_from_lib");
		enum scope scope = WHOLE_STACK;
		if (!strcmp(s->kind, "called_from_lib"))
			scope = MODULES;
		if (!strcmp(s->kind, "race_top") && !strcmp(kind->suppression, "race")) {
			is_meant = true;
			scope = TOP_FUNCTION;
		}
		bool is_hit = false;
		for (size_t k = 0; is_meant && k < m->acts.len; k++)
			is_hit |= stack_matches(o, m, &m->acts.at[k].stack, scope, s->pattern);
		struct buf name = { 0 };
		if (is_meant && !strcmp(s->kind, "race")) {
			add_data(o, m, m->address, &name);
			is_hit |= name.len && suppression_matches(s->pattern, name.at);
		}
		buf_release(&name);
		if (is_hit) {
			s->count++;
			return true;
		}
	}
	return false;
}

/* ---- a message ---- */

/* Of the innermost function of the user's own.  Valid until the next location is made. */
static const struct location *own_location(struct online *o, const struct message *m,
					   const struct message_stack *s)
{
	loc_id loc = location_for(o, m, &s->frames.at[0]), own = loc;
	for (size_t i = 0; i < s->frames.len && !frames_is_own(&o->tables.locations.at[own]); i++)
		own = names_own(&o->names, location_for(o, m, &s->frames.at[i]), 0);
	return &o->tables.locations.at[frames_is_own(&o->tables.locations.at[own]) ? own : loc];
}

static uint64_t places_hash(struct online *o, const struct message *m,
			    const struct online_kind *kind)
{
	uint64_t each[2] = { 0 };
	/* Where a signal interrupts a thread, or what others do at a crash, is no other finding. */
	size_t first = kind->kind == FINDING_THREAD_LEAK,
	       end = online_is_pair(kind->kind) || first ? 2 : 1;
	for (size_t i = first; i < m->acts.len && i < end; i++) {
		const struct message_stack *s = &m->acts.at[i].stack;
		if (!s->frames.len)
			continue;
		const struct location *l = own_location(o, m, s);
		each[i] = l->line ? hash_mix(hash_bytes(0, l->file, strlen(l->file)), l->line)
				  : l->offset;
	}
	/* Which of the two came first does not matter. */
	uint64_t low = each[0] < each[1] ? each[0] : each[1],
		 high = each[0] < each[1] ? each[1] : each[0];
	return hash_mix(hash_mix((uint64_t)kind->kind + 1, low), high);
}

static bool add_message(struct online *o, struct message *m)
{
	const struct online_kind *kind = online_kind_of(m);
	if (!kind || !m->acts.len)
		return false;
	if (is_suppressed(o, m, kind)) {
		o->suppressed++;
		return false;
	}
	bool is_new;
	uint64_t *slot = map_put(&o->known, places_hash(o, m, kind), &is_new);
	if (!is_new) {
		o->findings.list.at[*slot].count++;
		return false;
	}
	*slot = o->findings.list.len;
	struct scene scene;
	make_scene(o, m, kind->kind, &scene);
	o->names.scene = &scene;
	struct finding f = make_finding(o, m, kind);
	o->names.scene = NULL;
	scene_release(&scene);
	vec_push(&o->findings.list, f);
	return true;
}

bool online_add(struct online *o, const char *text, size_t len)
{
	struct message m;
	bool is_new = message_parse(&m, text, len) && add_message(o, &m);
	message_release(&m);
	return is_new;
}
