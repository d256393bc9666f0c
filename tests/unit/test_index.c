/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The index against a recomputation that scans the whole trace for every question, on thousands
 * of random traces of a small machine; traces that make no sense; and index files with random
 * damage.
 */
#include <sys/stat.h>

#include "base/hash.h"
#include "trace/block.h"
#include "trace/index.h"
#include "trace/index_file.h"
#include "trace/known.h"
#include "unit/trace_samples.h"

#define BASE 0x100000ull
#define BYTES 64u
#define THREADS 4u
#define LOCKS 3u
#define LOCK(i) (0x200000ull + (i)*64)
#define EVENTS 120u
#define CASES 2500u
#define DAMAGES 4000u

/* A machine that makes a random trace which makes sense. */
struct machine {
	uint64_t rng;
	unsigned char memory[BYTES];
	thr_id owner[LOCKS];
	unsigned depth[LOCKS];
	bool has_begun[THREADS], has_ended[THREADS], is_joined[THREADS];
	struct event events[EVENTS];
	unsigned char data[EVENTS][32];
	unsigned count;
};

static unsigned pick(struct machine *m, unsigned n)
{
	return (unsigned)(test_random(&m->rng) % n);
}

static struct event *add(struct machine *m, thr_id thread, unsigned kind)
{
	struct event *e = &m->events[m->count];
	*e = (struct event){ .index = m->count++, .thread = thread, .kind = (uint8_t)kind };
	if (pick(m, 4) == 0)
		e->flags = EVF_BRANCH;
	return e;
}

static void add_access(struct machine *m, thr_id thread)
{
	static const unsigned kinds[] = { EV_READ,  EV_READ, EV_WRITE,
					  EV_WRITE, EV_RMW,  EV_OUTSIDE_WRITE };
	struct event *e = add(m, thread, kinds[pick(m, 6)]);
	unsigned at = pick(m, BYTES - 16);
	unsigned char fresh[16], *data = m->data[e->index];
	e->size = 1 + pick(m, 16);
	e->obj = BASE + at;
	for (unsigned i = 0; i < 16; i++)
		fresh[i] = (unsigned char)pick(m, 4);
	if (e->kind == EV_RMW && pick(m, 3) == 0)
		e->flags |= EVF_FAILED;
	bool reads = e->kind == EV_READ || e->kind == EV_RMW;
	bool writes = e->kind != EV_READ && !(e->flags & EVF_FAILED);
	memcpy(data, reads ? m->memory + at : fresh, e->size);
	memcpy(data + e->size, fresh, e->kind == EV_RMW ? e->size : 0);
	if (e->size <= 8) {
		memcpy(&e->a, data, e->size);
		memcpy(&e->b, data + e->size, e->kind == EV_RMW ? e->size : 0);
	} else {
		e->data = data;
		e->data_len = e->size * (e->kind == EV_RMW ? 2 : 1);
	}
	if (writes)
		memcpy(m->memory + at, fresh, e->size);
}

static void add_lock(struct machine *m, thr_id thread)
{
	unsigned i = pick(m, LOCKS);
	bool is_mine = m->depth[i] && m->owner[i] == thread;
	if (m->depth[i] && !is_mine)
		return;
	bool acquires = !is_mine || pick(m, 3) == 0;
	struct event *e = add(m, thread, acquires ? EV_ACQUIRE : EV_RELEASE);
	e->obj = LOCK(i);
	e->mode = SYNC_MUTEX;
	m->owner[i] = thread;
	m->depth[i] += acquires ? 1 : -1u;
	e->a = m->depth[i];
}

/* A block of whole cells comes or goes; its bytes can be anything then. */
static void add_block(struct machine *m, thr_id thread)
{
	struct event *e = add(m, thread, pick(m, 2) ? EV_ALLOC : EV_FREE);
	unsigned at = pick(m, BYTES / 8) * 8;
	e->obj = BASE + at;
	e->size = 8 * (1 + pick(m, (BYTES - at) / 8));
	for (unsigned i = 0; i < e->size; i++)
		m->memory[at + i] = (unsigned char)pick(m, 4);
}

static void add_life(struct machine *m, thr_id thread)
{
	thr_id other = 1 + pick(m, THREADS - 1);
	bool holds = false;
	for (unsigned i = 0; i < LOCKS; i++)
		holds |= m->depth[i] && m->owner[i] == thread;
	if (thread && !holds && pick(m, 4) == 0) {
		add(m, thread, EV_END);
		m->has_ended[thread] = true;
	} else if (other != thread && m->has_ended[other] && !m->is_joined[other]) {
		add(m, thread, EV_JOIN)->a = other;
		m->is_joined[other] = true;
	}
}

static void make(struct machine *m, uint64_t seed)
{
	memset(m, 0, sizeof(*m));
	m->rng = seed;
	m->has_begun[0] = true;
	for (thr_id t = 1; t < THREADS; t++)
		add(m, 0, EV_FORK)->a = t;
	while (m->count < EVENTS - 1) {
		thr_id t = pick(m, THREADS);
		if (m->has_ended[t])
			continue;
		if (!m->has_begun[t]) {
			add(m, t, EV_BEGIN)->a = 0;
			m->has_begun[t] = true;
			continue;
		}
		switch (pick(m, 16)) {
		case 0:
		case 1:
		case 2:
		case 3:
			add_lock(m, t);
			break;
		case 4:
			add_block(m, t);
			break;
		case 5:
			add_life(m, t);
			break;
		case 6:
			add(m, t, EV_BRANCH);
			break;
		default:
			add_access(m, t);
		}
	}
}

static void store(const struct machine *m, const char *path)
{
	struct trace_writer *w;
	struct err err;
	sample_ok(trace_writer_open(&w, path, TRACE_BINARY, &err), &err);
	for (unsigned i = 0; i < m->count; i++)
		sample_ok(trace_writer_event(w, &m->events[i], &err), &err);
	sample_ok(trace_writer_close(w, &err), &err);
}

/* ---- recomputation ---- */

static bool is_access(const struct event *e)
{
	return e->kind == EV_READ || e->kind == EV_WRITE || e->kind == EV_RMW ||
	       e->kind == EV_OUTSIDE_WRITE;
}

static bool covers(const struct event *e, uint64_t byte)
{
	return byte - e->obj < e->size;
}

static bool begins_life(const struct event *e, uint64_t byte)
{
	return (e->kind == EV_ALLOC || e->kind == EV_FREE) && covers(e, byte);
}

static ev_id writer_of(const struct machine *m, unsigned before, uint64_t byte)
{
	for (unsigned i = before; i-- > 0;) {
		const struct event *e = &m->events[i];
		bool writes = is_access(e) && e->kind != EV_READ &&
			      !(e->kind == EV_RMW && e->flags & EVF_FAILED);
		if ((writes && covers(e, byte)) || begins_life(e, byte))
			return i;
	}
	return EVENT_NONE;
}

static void check_reads(const struct machine *m, const struct trace_index *x, unsigned i)
{
	const struct event *e = &m->events[i];
	ev_id latest = EVENT_NONE, first = writer_of(m, i, e->obj), branch = EVENT_NONE;
	bool is_several = false;
	for (uint64_t at = 0; at < e->size; at++) {
		ev_id w = writer_of(m, i, e->obj + at);
		is_several |= w != first;
		if (w != EVENT_NONE && (latest == EVENT_NONE || w > latest))
			latest = w;
	}
	assert_int_equal(x->events[i].link, latest);
	assert_int_equal(x->events[i].bits & INDEX_SEVERAL, is_several);
	for (unsigned k = m->count; k-- > i + 1;)
		if (m->events[k].thread == e->thread &&
		    (m->events[k].kind == EV_BRANCH || m->events[k].flags & EVF_BRANCH))
			branch = k;
	assert_int_equal(x->events[i].branch, branch);
}

/* The release that belongs to an acquire: where the thread has released as often as it acquired
 * since. */
static ev_id release_of(const struct machine *m, unsigned acquire)
{
	int open = 0;
	for (unsigned k = acquire; k < m->count; k++) {
		const struct event *e = &m->events[k];
		if (e->obj != m->events[acquire].obj ||
		    (e->kind != EV_ACQUIRE && e->kind != EV_RELEASE))
			continue;
		open += e->kind == EV_ACQUIRE ? 1 : -1;
		if (!open)
			return k;
	}
	return EVENT_NONE;
}

static void check_locks(const struct machine *m, const struct trace_index *x, unsigned i)
{
	const struct event *e = &m->events[i];
	ev_id held = EVENT_NONE;
	if (e->kind == EV_ACQUIRE) {
		ev_id release = release_of(m, i);
		assert_int_equal(x->events[i].link, release);
		if (release != EVENT_NONE)
			assert_int_equal(x->events[release].link, i);
	}
	for (unsigned k = i; k-- > 0;) {
		if (m->events[k].kind != EV_ACQUIRE || m->events[k].thread != e->thread ||
		    release_of(m, k) < i)
			continue;
		held = index_held(x, i, held);
		assert_int_equal(held, k);
	}
	assert_int_equal(index_held(x, i, held), EVENT_NONE);
}

static void check_threads(const struct machine *m, const struct trace_index *x)
{
	for (thr_id t = 0; t < THREADS; t++) {
		uint64_t count, n = 0;
		const ev_id *own = index_of_thread(x, t, &count);
		ev_id before = EVENT_NONE;
		for (unsigned i = 0; i < m->count; i++) {
			const struct event *e = &m->events[i];
			if (e->kind == EV_JOIN && e->a == t)
				assert_int_equal(m->events[x->events[i].link].kind, EV_END);
			if (e->thread != t)
				continue;
			assert_true(n < count);
			assert_int_equal(own[n++], i);
			if (before != EVENT_NONE)
				assert_int_equal(index_next(x, before), i);
			before = i;
			if (e->kind == EV_BEGIN)
				assert_int_equal(m->events[x->events[i].link].a, t);
		}
		assert_int_equal(n, count);
	}
}

/* Events of the life of a cell around each access. */
static void check_cell(const struct machine *m, const struct trace_index *x, unsigned i,
		       uint64_t cell)
{
	unsigned from = 0, n = 0;
	ev_id since = EVENT_NONE;
	const struct index_list *l = index_cell(x, cell, i);
	assert_non_null(l);
	for (unsigned k = 0; k < i; k++)
		if (begins_life(&m->events[k], cell))
			since = k, from = k;
	assert_int_equal(l->since, since);
	for (unsigned k = from; k < m->count; k++) {
		const struct event *e = &m->events[k];
		if (k > i && begins_life(e, cell))
			break;
		if (!is_access(e) || e->obj >= cell + INDEX_CELL || e->obj + e->size <= cell)
			continue;
		assert_true(n < l->count);
		assert_int_equal(x->cell_events[l->first + n++], k);
	}
	assert_int_equal(n, l->count);
}

static void the_index_is_what_scanning_finds(void **state)
{
	(void)state;
	static struct machine m;
	const char *path = sample_path("machine");
	for (unsigned seed = 1; seed <= CASES; seed++) {
		struct trace_index x;
		struct err err;
		make(&m, seed);
		store(&m, path);
		sample_ok(index_build(&x, path, NULL, &err), &err);
		assert_int_equal(x.count, m.count);
		check_threads(&m, &x);
		for (unsigned i = 0; i < m.count; i++) {
			const struct event *e = &m.events[i];
			assert_int_equal(x.events[i].kind, e->kind);
			assert_int_equal(x.events[i].obj, e->obj);
			if (e->kind == EV_READ || e->kind == EV_RMW)
				check_reads(&m, &x, i);
			check_locks(&m, &x, i);
			if (is_access(e))
				check_cell(&m, &x, i, e->obj / INDEX_CELL * INDEX_CELL);
			if (e->kind == EV_ACQUIRE) {
				const struct index_list *l = index_object(&x, e->obj, i);
				assert_non_null(l);
				assert_int_equal(l->mode, SYNC_MUTEX);
			}
		}
		index_close(&x);
	}
}

static void what_makes_no_sense_has_no_index(void **state)
{
	(void)state;
	static struct machine m;
	const char *path = sample_path("nonsense"), *kept = sample_path("nonsense.index");
	struct trace_index x;
	struct err err;
	make(&m, 7);
	unsigned i = 0;
	while (m.events[i].kind != EV_RELEASE)
		i++;
	m.events[i].obj += 8;
	store(&m, path);
	assert_int_equal(index_build(&x, path, kept, &err), -ERR_FORMAT);
	assert_non_null(strstr(err.text, "it is not held"));
	assert_int_equal(access(kept, F_OK), -1);
}

/* ---- files ---- */

static uint64_t walk(const struct trace_index *x)
{
	uint64_t sum = 0;
	for (ev_id i = 0; i < x->count; i++) {
		ev_id held = EVENT_NONE;
		while ((held = index_held(x, i, held)) != EVENT_NONE)
			sum += held;
		sum += index_next(x, i) +
		       (x->events[i].link != EVENT_NONE ? x->events[x->events[i].link].own : 0);
		const struct index_list *l = index_cell(x, x->events[i].obj, i);
		for (uint64_t k = 0; l && k < l->count; k++)
			sum += x->events[x->cell_events[l->first + k]].obj;
	}
	return sum;
}

static void damaged_index_files_do_no_harm(void **state)
{
	(void)state;
	static struct machine m;
	const char *path = sample_path("damage"), *kept = sample_path("damage.index"),
		   *other = sample_path("other");
	struct buf good = { 0 }, bad = { 0 };
	struct trace_index x;
	struct err err;
	uint64_t rng = 99;
	unsigned refused = 0;
	make(&m, 3);
	store(&m, path);
	sample_ok(index_build(&x, path, kept, &err), &err);
	uint64_t sum = walk(&x);
	index_close(&x);
	sample_ok(index_open(&x, kept, path, &err), &err);
	assert_int_equal(walk(&x), sum);
	index_close(&x);
	make(&m, 4);
	store(&m, other);
	assert_int_equal(index_open(&x, kept, other, &err), -ERR_FORMAT);
	sample_ok(file_read(kept, &good, &err), &err);
	for (unsigned i = 0; i < DAMAGES; i++) {
		buf_clear(&bad);
		buf_add(&bad, good.at, i % 8 ? good.len : test_random(&rng) % good.len);
		for (unsigned n = (unsigned)(test_random(&rng) % 3); bad.len && n < 3; n++)
			bad.at[test_random(&rng) % bad.len] =
				(char)(test_random(&rng) % 5 ? test_random(&rng) : 0xff);
		if (bad.len >= sizeof(struct index_header)) {
			struct index_header *h = (struct index_header *)bad.at;
			if (test_random(&rng) % 4)
				memcpy(h, good.at, offsetof(struct index_header, events));
			h->checksum = hash_bytes(0, h, offsetof(struct index_header, checksum));
		}
		sample_ok(file_write(kept, bad.at ? bad.at : "", bad.len, &err), &err);
		if (index_open(&x, kept, path, &err)) {
			refused++;
			continue;
		}
		walk(&x);
		index_close(&x);
	}
	assert_true(refused > DAMAGES / 4);
	buf_release(&good);
	buf_release(&bad);
}

/* Bytes that are forgotten in any order are unknown, whatever was known before. */
static void told_memory_forgets_exactly(void **state)
{
	(void)state;
	enum { SPACE = 1024 };
	uint64_t rng = 5;
	struct known t = { 0 };
	static int has[SPACE]; /* -1: untold */
	for (unsigned i = 0; i < SPACE; i++)
		has[i] = -1;
	for (unsigned round = 0; round < 20000; round++) {
		unsigned at = (unsigned)(test_random(&rng) % SPACE);
		unsigned size = 1 + (unsigned)(test_random(&rng) % (round % 4 ? 16 : SPACE));
		size = size > SPACE - at ? SPACE - at : size;
		unsigned char bytes[SPACE], wrong;
		uint64_t where;
		bool fits = true;
		for (unsigned i = 0; i < size; i++)
			bytes[i] = (unsigned char)(round % 3 && has[at + i] >= 0
							   ? has[at + i]
							   : (int)(test_random(&rng) % 3));
		switch (test_random(&rng) % 3) {
		case 0:
			known_write(&t, 0x7fc0 + at, NULL, size);
			for (unsigned i = 0; i < size; i++)
				has[at + i] = -1;
			break;
		case 1:
			known_write(&t, 0x7fc0 + at, bytes, size);
			for (unsigned i = 0; i < size; i++)
				has[at + i] = bytes[i];
			break;
		default:
			for (unsigned i = 0; fits && i < size; i++) {
				fits = has[at + i] < 0 || has[at + i] == bytes[i];
				if (fits)
					has[at + i] = bytes[i];
			}
			assert_int_equal(known_read(&t, 0x7fc0 + at, bytes, size, &where, &wrong),
					 fits);
		}
	}
	known_release(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_index_is_what_scanning_finds),
		cmocka_unit_test(what_makes_no_sense_has_no_index),
		cmocka_unit_test(damaged_index_files_do_no_harm),
		cmocka_unit_test(told_memory_forgets_exactly),
	};
	return cmocka_run_group_tests(tests, sample_setup, sample_teardown);
}
