/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Findings from messages; see online.h.  A message comes from a process in which anything may
 * have gone wrong: a line that is not understood is left out, numbers are checked against what
 * was announced before.
 */
#include "report/online.h"

#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/hash.h"
#include "report/frames.h"
#include "report/online_message.h"
#include "trace/block.h"

void online_init(struct online *o, const char *program)
{
	*o = (struct online){ 0 };
	tables_init(&o->tables);
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
	map_release(&o->told);
	for (size_t i = 0; i < o->suppressions.len; i++) {
		mem_free(o->suppressions.at[i].kind);
		mem_free(o->suppressions.at[i].pattern);
	}
	vec_release(&o->suppressions);
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
	struct region r = { .start = m->start,
			    .size = m->size,
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

static void add_place(struct online *o, struct finding *f, const struct message *m, uint64_t thread,
		      const struct message_stack *s, char *role)
{
	struct finding_place p = { .role = role, .thread = (thr_id)thread };
	if (s->frames.len) {
		p.loc = location_for(o, m, &s->frames.at[0]);
		p.stack = stack_for(o, m, s->frames.at, s->frames.len);
	}
	vec_push(&f->places, p);
}

/* ---- names ---- */

static void add_thread(const struct message *m, uint64_t thread, struct buf *out)
{
	buf_printf(out, "T%llu", (unsigned long long)thread);
	for (size_t i = 0; i < m->threads.len; i++)
		if (m->threads.at[i].number == thread && m->threads.at[i].name[0])
			buf_printf(out, " '%s'", m->threads.at[i].name);
}

/* The name of what lies at an address of a module; "" elsewhere. */
static void add_data(struct online *o, const struct message *m, uint64_t address, struct buf *out)
{
	for (size_t i = 0; i < m->modules.len; i++) {
		const struct message_module *module = &m->modules.at[i];
		if (module->path && address - module->start < module->size)
			source_data_name(o->names.source,
					 &o->tables.regions.at[region_for(o, module)],
					 address - module->start, out);
	}
}

static void add_object(struct online *o, const struct message *m, uint64_t address, struct buf *out)
{
	struct buf name = { 0 };
	add_data(o, m, address, &name);
	if (name.len)
		buf_str(out, name.at);
	else if (m->block.size && address - m->block.start < m->block.size)
		buf_printf(out, "byte %llu of a block of %llu bytes",
			   (unsigned long long)(address - m->block.start),
			   (unsigned long long)m->block.size);
	else
		buf_printf(out, "0x%llx", (unsigned long long)address);
	buf_release(&name);
}

static void add_locks(struct online *o, const struct message *m, const struct message_act *a,
		      struct buf *out)
{
	for (size_t i = 0; i < a->locks.len; i++) {
		const struct message_lock *l = &a->locks.at[i];
		buf_printf(out, "%s%s ", i ? ", " : ", holding ", l->kind);
		add_object(o, m, l->address, out);
		if (!strcmp(l->kind, "rwlock"))
			buf_str(out, l->is_write ? " (writing)" : " (reading)");
		if (l->stack.frames.len) {
			buf_str(out, " since ");
			names_place(
				&o->names,
				names_own(&o->names, location_for(o, m, &l->stack.frames.at[0]), 0),
				out);
		}
	}
}

static const struct {
	const char *word, *sentence;
} acts[] = {
	{ "read", "reads" },	 { "write", "writes" },	  { "free", "frees" },
	{ "lock", "locks" },	 { "unlock", "unlocks" }, { "wait", "waits for" },
	{ "signal", "signals" }, { "use", "uses" },	  { "destroy", "destroys" },
	{ "close", "closes" },
};

static char *role_of(struct online *o, const struct message *m, const struct message_act *a)
{
	struct buf out = { 0 };
	const char *sentence = "acts on";
	for (size_t i = 0; i < sizeof(acts) / sizeof(*acts); i++)
		if (!strcmp(acts[i].word, a->act))
			sentence = acts[i].sentence;
	add_thread(m, a->thread, &out);
	buf_printf(&out, " %s%s ", a->is_atomic ? "atomically " : "", sentence);
	bool is_access = !strcmp(a->act, "read") || !strcmp(a->act, "write");
	if (is_access)
		buf_printf(&out, "%llu byte%s of ", (unsigned long long)a->size,
			   a->size == 1 ? "" : "s");
	if (m->is_descriptor)
		buf_printf(&out, "descriptor %llu", (unsigned long long)a->address);
	else
		add_object(o, m, a->address, &out);
	add_locks(o, m, a, &out);
	return buf_take(&out);
}

/* ---- what is said about it ---- */

static const struct {
	const char *word;
	enum finding_kind kind;
	const char *sentence; /* %s: the object */
	const char *suppression;
} kinds[] = {
	{ "race", FINDING_RACE,
	  "two threads access %s, at least one writes, and nothing orders them", "race" },
	{ "use-after-free", FINDING_USE_AFTER_FREE, "%s can be used after it was freed", "race" },
	{ "double-free", FINDING_DOUBLE_FREE, "%s is freed twice", "race" },
	{ "lost-signal", FINDING_LOST_SIGNAL,
	  "a signal of condition variable %s can come before the wait and be lost", "signal" },
	{ "destroy-in-use", FINDING_DESTROY_IN_USE,
	  "%s can be destroyed while another thread still uses it", "mutex" },
	{ "close-in-use", FINDING_CLOSE_IN_USE, "descriptor %s can be used after it was closed",
	  "race" },
	{ "double-close", FINDING_DOUBLE_CLOSE, "descriptor %s is closed twice", "race" },
	{ "lock-order", FINDING_LOCK_ORDER,
	  "locks are acquired in opposite orders; this is a deadlock if the threads meet",
	  "deadlock" },
};

static char *sentence_of(struct online *o, const struct message *m, size_t kind)
{
	struct buf name = { 0 }, out = { 0 };
	if (m->is_descriptor)
		buf_printf(&name, "%llu", (unsigned long long)m->address);
	else
		add_object(o, m, m->address, &name);
	buf_str(&name, "");
	const char *text = kinds[kind].sentence;
	if (!strcmp(m->status, "happened") && kinds[kind].kind == FINDING_USE_AFTER_FREE)
		text = "%s was used after it was freed";
	const char *hole = strstr(text, "%s");
	buf_add(&out, text, hole ? (size_t)(hole - text) : strlen(text));
	if (hole) {
		buf_str(&out, name.at);
		buf_str(&out, hole + 2);
	}
	if (!strcmp(m->status, "predicted"))
		buf_str(&out, m->is_locked
				      ? " (predicted: their critical sections can come in the "
					"other order)"
				      : " (predicted: in this run a lock ordered them, by chance)");
	if (!strcmp(m->status, "potential"))
		buf_str(&out, " (potential)");
	buf_release(&name);
	return buf_take(&out);
}

static void add_context(struct online *o, struct finding *f, const struct message *m)
{
	if (m->block.stack.frames.len) {
		struct buf role = { 0 };
		buf_printf(&role, "the block of %llu bytes was allocated by ",
			   (unsigned long long)m->block.size);
		add_thread(m, m->block.thread, &role);
		add_place(o, f, m, m->block.thread, &m->block.stack, buf_take(&role));
	}
	for (size_t i = 0; i < m->threads.len; i++) {
		const struct message_thread *t = &m->threads.at[i];
		if (!t->stack.frames.len)
			continue;
		struct buf role = { 0 };
		add_thread(m, t->number, &role);
		buf_printf(&role, " was created by T%llu", (unsigned long long)t->creator);
		add_place(o, f, m, t->creator, &t->stack, buf_take(&role));
	}
}

/* ---- suppressions ---- */

static bool matches_here(const char *pattern, const char *text)
{
	for (; *pattern; pattern++, text++) {
		if (*pattern == '*') {
			for (; *text; text++)
				if (matches_here(pattern + 1, text))
					return true;
			return matches_here(pattern + 1, text);
		}
		if (*pattern == '$' && !pattern[1])
			return !*text;
		if (*pattern != *text)
			return false;
	}
	return true;
}

static bool matches(const char *pattern, const char *text)
{
	if (*pattern == '^')
		return matches_here(pattern + 1, text);
	for (;; text++) {
		if (matches_here(pattern, text))
			return true;
		if (!*text)
			return false;
	}
}

static bool stack_matches(struct online *o, const struct message *m, const struct message_stack *s,
			  const char *pattern)
{
	for (size_t i = 0; i < s->frames.len; i++) {
		if (matches(pattern, m->modules.at[s->frames.at[i].module].path))
			return true;
		loc_id loc = location_for(o, m, &s->frames.at[i]);
		for (; loc; loc = trace_outer(&o->tables, loc)) {
			const struct location *l = &o->tables.locations.at[loc];
			if (matches(pattern, l->function) ||
			    (l->file[0] && matches(pattern, l->file)))
				return true;
		}
	}
	return false;
}

static bool is_suppressed(struct online *o, const struct message *m, size_t kind)
{
	for (size_t i = 0; i < o->suppressions.len; i++) {
		struct suppression *s = &o->suppressions.at[i];
		bool is_meant = !strcmp(s->kind, kinds[kind].suppression) ||
				!strcmp(s->kind, kinds[kind].word) ||
				!strcmp(s->kind, "called_from_lib");
		bool is_hit = false;
		for (size_t k = 0; is_meant && k < m->acts.len; k++)
			is_hit |= stack_matches(o, m, &m->acts.at[k].stack, s->pattern);
		struct buf name = { 0 };
		if (is_meant && !strcmp(s->kind, "race")) {
			add_data(o, m, m->address, &name);
			is_hit |= name.len && matches(s->pattern, name.at);
		}
		buf_release(&name);
		if (is_hit) {
			s->count++;
			return true;
		}
	}
	return false;
}

int online_suppress_text(struct online *o, const char *name, const char *text, struct err *err)
{
	size_t number = 0;
	for (const char *line = text; *line;) {
		size_t len = strcspn(line, "\n");
		const char *next = line + len + (line[len] == '\n');
		number++;
		while (len && (*line == ' ' || *line == '\t'))
			line++, len--;
		while (len &&
		       (line[len - 1] == ' ' || line[len - 1] == '\t' || line[len - 1] == '\r'))
			len--;
		const char *colon = memchr(line, ':', len);
		if (len && *line != '#' && !colon)
			return err_set(err, ERR_FORMAT, "%s:%zu: a suppression is KIND:PATTERN",
				       name, number);
		if (len && *line != '#') {
			struct suppression s = {
				mem_strndup(line, (size_t)(colon - line)),
				mem_strndup(colon + 1, len - (size_t)(colon + 1 - line)), 0
			};
			vec_push(&o->suppressions, s);
		}
		line = next;
	}
	return 0;
}

int online_suppress(struct online *o, const char *path, struct err *err)
{
	struct buf text = { 0 };
	int rc = file_read(path, &text, err);
	buf_str(&text, "");
	rc = rc ? rc : online_suppress_text(o, path, text.at ? text.at : "", err);
	buf_release(&text);
	return rc;
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

static uint64_t places_hash(struct online *o, const struct message *m, size_t kind)
{
	uint64_t each[2] = { 0 };
	for (size_t i = 0; i < m->acts.len && i < 2; i++) {
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
	return hash_mix(hash_mix(kind + 1, low), high);
}

static enum finding_status status_of(const struct message *m)
{
	if (!strcmp(m->status, "predicted"))
		return FINDING_PREDICTED;
	return strcmp(m->status, "potential") ? FINDING_OBSERVED : FINDING_POTENTIAL;
}

static bool add_message(struct online *o, struct message *m)
{
	size_t kind = 0;
	while (kind < sizeof(kinds) / sizeof(*kinds) && strcmp(kinds[kind].word, m->kind))
		kind++;
	if (kind == sizeof(kinds) / sizeof(*kinds) || !m->acts.len)
		return false;
	m->is_descriptor = kinds[kind].kind == FINDING_CLOSE_IN_USE ||
			   kinds[kind].kind == FINDING_DOUBLE_CLOSE;
	if (is_suppressed(o, m, kind)) {
		o->suppressed++;
		return false;
	}
	bool is_new;
	uint64_t *slot = map_put(&o->told, places_hash(o, m, kind), &is_new);
	if (!is_new) {
		o->findings.list.at[*slot].count++;
		return false;
	}
	*slot = o->findings.list.len;
	struct finding f = { .kind = kinds[kind].kind,
			     .status = status_of(m),
			     .message = sentence_of(o, m, kind),
			     .count = 1 };
	for (size_t i = 0; i < m->acts.len; i++)
		add_place(o, &f, m, m->acts.at[i].thread, &m->acts.at[i].stack,
			  role_of(o, m, &m->acts.at[i]));
	if (m->acts.len > 1 && !m->acts.at[1].stack.frames.len)
		finding_add_note(&f, "the stack of the older action is not known any more "
				     "(history_size keeps more)");
	add_context(o, &f, m);
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
