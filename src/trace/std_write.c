/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From events to STD lines.  The happens-before order of the lines is that of the events, if all
 * operations on one synchronisation object count as ordered in the way they happened:
 *
 *   - locks are acq and rel, outermost only;
 *   - STD has no read locks: acquiring and releasing one become two short critical sections;
 *   - each condition variable, barrier, semaphore and so on has a lock of its own, and every
 *     operation on
 *     it is a short critical section of that lock;
 *   - each atomic variable has a lock, too, and its accesses are inside critical sections, so
 *     that they race with plain accesses but not with each other;
 *   - bytes that are always accessed together are one variable; an access to several variables
 *     has a line for each.
 *
 * The lines always respect the locks: wrong uses of a lock, which the trace reports as failures,
 * are left out.
 */
#include <string.h>

#include "trace/std.h"
#include "wire/kinds.h"
#include "wire/sync.h"

#define ACCESS_MAX (1u << 24) /* bytes that an access may have, to be split into variables */

static bool is_access(unsigned kind)
{
	return kind == EV_READ || kind == EV_WRITE || kind == EV_RMW;
}

/* ---- variables ---- */

static void cut(struct std_export *x, uint64_t address)
{
	*map_put(&x->cuts, address / 64, NULL) |= 1ull << address % 64;
}

int std_export_survey(struct std_export *x, const struct event *e, struct err *err)
{
	if (!is_access(e->kind) || x->is_imported || !e->size)
		return 0;
	if (e->size > ACCESS_MAX || e->size > UINT64_MAX - e->obj)
		return err_set(err, ERR_SUPPORT,
			       "event %llu: an access of %llu bytes is too large for STD",
			       (unsigned long long)e->index, (unsigned long long)e->size);
	cut(x, e->obj);
	cut(x, e->obj + e->size);
	return 0;
}

/* End of the variable that begins at `address`; at most `end`, which is a boundary, too. */
static uint64_t variable_end(const struct std_export *x, uint64_t address, uint64_t end)
{
	uint64_t at = address + 1;
	while (at < end) {
		const uint64_t *bits = map_get(&x->cuts, at / 64);
		uint64_t rest = bits ? *bits >> at % 64 : 0;
		if (rest) {
			at += (unsigned)__builtin_ctzll(rest);
			break;
		}
		at = (at / 64 + 1) * 64;
	}
	return at < end ? at : end;
}

/* ---- names ---- */

static uint64_t number_of(struct map *m, uint64_t key, uint64_t *count)
{
	bool is_new;
	uint64_t *number = map_put(m, key, &is_new);
	if (is_new)
		*number = ++*count;
	return *number;
}

/* Regions of an imported trace that are the name of one object, or of a thread. */
static void collect_names(struct std_export *x, const struct trace_tables *t)
{
	for (; x->regions < t->regions.len; x->regions++) {
		const struct region *r = &t->regions.at[x->regions];
		if (r->kind == REGION_STACK)
			*map_put(&x->region_of, r->thread, NULL) = x->regions;
		else if (r->size == 8)
			*map_put(&x->region_of, r->start, NULL) = x->regions;
	}
}

static void put_numbered(struct buf *out, char letter, uint64_t number)
{
	buf_char(out, letter);
	buf_decimal(out, number);
}

static void put_imported(const struct std_export *x, const struct trace_tables *t, uint64_t key,
			 char letter, uint64_t number, struct buf *out)
{
	const uint64_t *region = map_get(&x->region_of, key);
	if (region)
		buf_str(out, t->regions.at[*region].path);
	else
		put_numbered(out, letter, number);
}

static void put_thread(const struct std_export *x, const struct trace_tables *t, uint64_t thread,
		       struct buf *out)
{
	put_imported(x, t, thread, 'T', thread, out);
}

static void put_variable(struct std_export *x, const struct trace_tables *t, uint64_t address,
			 struct buf *out)
{
	uint64_t count = x->variable_of.len;
	if (x->is_imported)
		put_imported(x, t, address, 'V', (address - STD_VARIABLES) / 8, out);
	else
		put_numbered(out, 'V', number_of(&x->variable_of, address, &count));
}

/* ---- lines ---- */

static void begin_line(struct std_export *x, const struct trace_tables *t, const struct event *e,
		       const char *op, struct buf *out)
{
	put_thread(x, t, e->thread, out);
	buf_char(out, '|');
	buf_str(out, op);
}

static void end_line(struct std_export *x, const struct trace_tables *t, const struct event *e,
		     struct buf *out)
{
	buf_char(out, '|');
	if (x->is_imported && e->loc)
		buf_str(out, t->locations.at[e->loc].function);
	else
		buf_decimal(out, e->loc);
	buf_char(out, '\n');
	x->lines++;
}

static void put_bare(struct std_export *x, const struct trace_tables *t, const struct event *e,
		     const char *op, struct buf *out)
{
	begin_line(x, t, e, op, out);
	end_line(x, t, e, out);
}

static void put_lock_line(struct std_export *x, const struct trace_tables *t, const struct event *e,
			  const char *op, uint64_t lock, struct buf *out)
{
	begin_line(x, t, e, op, out);
	buf_char(out, '(');
	if (x->is_imported)
		put_imported(x, t, e->obj, 'L', (e->obj - STD_LOCKS) / 8, out);
	else
		put_numbered(out, 'L', lock);
	buf_char(out, ')');
	end_line(x, t, e, out);
}

static void put_access(struct std_export *x, const struct trace_tables *t, const struct event *e,
		       const char *op, struct buf *out)
{
	for (uint64_t at = e->obj, end = e->obj + e->size; at < end;
	     at = variable_end(x, at, end)) {
		begin_line(x, t, e, op, out);
		buf_char(out, '(');
		put_variable(x, t, at, out);
		buf_char(out, ')');
		end_line(x, t, e, out);
		if (x->is_imported)
			break;
	}
}

/* A critical section of the lock that represents the object. */
static void put_section(struct std_export *x, const struct trace_tables *t, const struct event *e,
			struct buf *out)
{
	uint64_t lock = number_of(&x->object_of, e->obj, &x->names);
	x->sections++;
	put_lock_line(x, t, e, "acq", lock, out);
	put_lock_line(x, t, e, "rel", lock, out);
}

/* Acquire or release the locks of all variables of an atomic access, in the order of their
 * addresses. */
static void put_atomic_locks(struct std_export *x, const struct trace_tables *t,
			     const struct event *e, const char *op, struct buf *out)
{
	for (uint64_t at = e->obj, end = e->obj + e->size; at < end; at = variable_end(x, at, end))
		put_lock_line(x, t, e, op, number_of(&x->object_of, at, &x->names), out);
}

static void export_access(struct std_export *x, const struct trace_tables *t, const struct event *e,
			  struct buf *out)
{
	bool is_atomic = e->mode != MODE_PLAIN;
	x->atomics += is_atomic;
	if (is_atomic)
		put_atomic_locks(x, t, e, "acq", out);
	if (e->kind != EV_WRITE)
		put_access(x, t, e, "r", out);
	if (e->kind == EV_WRITE || (e->kind == EV_RMW && !(e->flags & EVF_FAILED)))
		put_access(x, t, e, "w", out);
	if (is_atomic)
		put_atomic_locks(x, t, e, "rel", out);
}

static void export_lock(struct std_export *x, const struct trace_tables *t, const struct event *e,
			struct buf *out)
{
	uint64_t number = number_of(&x->lock_of, e->obj, &x->names);
	while (x->locks.len <= number)
		vec_push(&x->locks, ((struct std_lock){ .owner = THR_NONE }));
	struct std_lock *l = &x->locks.at[number];
	if (sync_is_shared(e->mode)) {
		x->reads_under_lock += e->kind == EV_ACQUIRE;
		if (l->owner != THR_NONE)
			return;
		put_lock_line(x, t, e, "acq", number, out);
		put_lock_line(x, t, e, "rel", number, out);
		return;
	}
	bool is_acquire = e->kind == EV_ACQUIRE;
	if (l->owner != (is_acquire ? THR_NONE : e->thread) && l->owner != e->thread) {
		x->odd_locks++;
		return;
	}
	l->owner = e->thread;
	l->depth += is_acquire ? 1 : -1ull;
	if (e->kind == EV_ORPHAN)
		l->depth = 0;
	bool is_outermost = is_acquire ? l->depth == 1 : l->depth == 0;
	if (!l->depth)
		l->owner = THR_NONE;
	if (is_outermost || x->is_imported)
		put_lock_line(x, t, e, is_acquire ? "acq" : "rel", number, out);
}

static void export_thread(struct std_export *x, const struct trace_tables *t, const struct event *e,
			  struct buf *out)
{
	begin_line(x, t, e, e->kind == EV_FORK ? "fork(" : "join(", out);
	put_thread(x, t, e->a, out);
	buf_char(out, ')');
	end_line(x, t, e, out);
}

void std_export_event(struct std_export *x, const struct trace_tables *t, const struct event *e,
		      struct buf *out)
{
	if (x->is_imported)
		collect_names(x, t);
	if (e->flags & EVF_BRANCH || e->kind == EV_BRANCH) {
		x->branches += !x->is_extended;
		if (x->is_extended)
			put_bare(x, t, e, "br", out);
	}
	switch (e->kind) {
	case EV_BRANCH:
		break;
	case EV_READ:
	case EV_WRITE:
	case EV_RMW:
		export_access(x, t, e, out);
		break;
	case EV_ACQUIRE:
	case EV_RELEASE:
	case EV_ORPHAN:
		export_lock(x, t, e, out);
		break;
	case EV_FORK:
	case EV_JOIN:
		export_thread(x, t, e, out);
		break;
	case EV_BEGIN:
		if (x->is_imported && !e->loc)
			break; /* it was inserted by the import */
			       /* fall through */
	case EV_METHOD_BEGIN:
		put_bare(x, t, e, "begin", out);
		break;
	case EV_END:
	case EV_METHOD_END:
		put_bare(x, t, e, "end", out);
		break;
	CASES_OF_CONDITIONS:
	CASES_OF_BARRIERS:
	CASES_OF_SEMAPHORES:
	CASES_OF_ONCE:
		put_section(x, t, e, out);
		break;
	case EV_ANNOTATION:
		if (e->mode == ANNOTATION_HAPPENS_BEFORE || e->mode == ANNOTATION_HAPPENS_AFTER)
			put_section(x, t, e, out);
		else
			x->left_out[e->kind]++;
		break;
	case EV_REQUEST:
		if (x->is_extended)
			put_lock_line(x, t, e, "req", number_of(&x->lock_of, e->obj, &x->names),
				      out);
		else
			x->left_out[e->kind]++;
		break;
	case EV_SWITCH:
	case EV_FLUSH_TURN:
		break; /* implied by the order of the lines */
	default:
		x->left_out[e->kind]++;
	}
}

static void note(struct buf *out, uint64_t count, const char *what)
{
	if (count)
		buf_printf(out, "note: %llu %s\n", (unsigned long long)count, what);
}

void std_export_note(const struct std_export *x, struct buf *out)
{
	note(out, x->atomics,
	     "atomic accesses are critical sections of a lock for each variable; "
	     "STD has no memory orders");
	note(out, x->sections,
	     "operations on condition variables, barriers, semaphores and the like are critical "
	     "sections "
	     "of a lock for each object");
	note(out, x->reads_under_lock,
	     "times a lock is held for reading; the lines have short critical sections where it "
	     "is taken and given back");
	note(out, x->odd_locks, "wrong uses of locks are left out");
	note(out, x->branches, "branches are left out; --extended writes them as br");
	uint64_t others = 0;
	for (unsigned kind = 1; kind < EV_LIMIT; kind++)
		others += x->left_out[kind];
	if (!others)
		return;
	buf_str(out, "note: STD cannot say and the lines leave out:");
	for (unsigned kind = 1, listed = 0; kind < EV_LIMIT; kind++)
		if (x->left_out[kind])
			buf_printf(out, "%s %llu %s", listed++ ? "," : "",
				   (unsigned long long)x->left_out[kind], event_kind_name(kind));
	buf_char(out, '\n');
}

void std_export_release(struct std_export *x)
{
	map_release(&x->cuts);
	map_release(&x->variable_of);
	map_release(&x->lock_of);
	map_release(&x->object_of);
	map_release(&x->region_of);
	vec_release(&x->locks);
}
