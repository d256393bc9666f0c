/* SPDX-License-Identifier: Apache-2.0 */
/* Choices whose answers nothing depends on; see idle.h. */
#include "explore/execution/idle.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "base/search.h"
#include "wire/fault.h"
#include "wire/depend.h"

/* One choice in an execution. */
struct instance {
	struct idle_use use;
	/* 1 + the one before it, of the same call and thread; 0: it is the first */
	size_t before;
};

/* Bytes hold the answer of this instance, or of this one and those before it. */
struct mark {
	size_t instance;
	bool has_earlier;
};

struct marks {
	size_t first, count;
};

/* What is found in one execution; kept to save allocations. */
struct idle_worker {
	VEC(struct wire_op) ops; /* as strategies are to see them */
	VEC(struct instance) instances;
	VEC(struct mark) marks;
	VEC(struct marks) writes; /* a store that left answers: its marks */
	struct map counts;	  /* call and thread: how often */
	struct map last;	  /* call and thread: 1 + instance; 0: the last one is used */
	struct map bytes;	  /* address: 1 + write; 0: it was overwritten */
};

static int compare_stores(const void *a, const void *b)
{
	const struct idle_store *x = a, *y = b;
	return x->write < y->write ? -1 : x->write > y->write;
}

void idle_begin(struct idle *d, unsigned workers)
{
	if (d->stores.len)
		qsort(d->stores.at, d->stores.len, sizeof(*d->stores.at), compare_stores);
	pthread_mutex_init(&d->lock, NULL);
	d->workers = mem_zero(workers, sizeof(*d->workers));
	d->workers_count = workers;
}

void idle_release(struct idle *d)
{
	for (unsigned i = 0; i < d->workers_count; i++) {
		struct idle_worker *w = &d->workers[i];
		vec_release(&w->ops);
		vec_release(&w->instances);
		vec_release(&w->marks);
		vec_release(&w->writes);
		map_release(&w->counts);
		map_release(&w->last);
		map_release(&w->bytes);
	}
	if (d->workers)
		pthread_mutex_destroy(&d->lock);
	mem_free(d->workers);
	vec_release(&d->choices);
	vec_release(&d->stores);
	vec_release(&d->used);
	vec_release(&d->news);
	map_release(&d->is_used);
	map_release(&d->is_news);
}

/* ---- what is known ---- */

static bool is_choice(const struct idle *d, uint64_t place)
{
	size_t low = partition_point(d->choices.len, i, d->choices.at[i] < place);
	return low < d->choices.len && d->choices.at[low] == place;
}

/* The first store of that hook; those of the same hook follow it. */
static size_t first_store(const struct idle *d, uint64_t write)
{
	return partition_point(d->stores.len, i, d->stores.at[i].write < write);
}

static void note_use(struct idle *d, const struct idle_use *use)
{
	bool is_new;
	if (FAULT(IDLE_USES_IGNORED))
		return;
	pthread_mutex_lock(&d->lock);
	map_put(&d->is_news, use->key, &is_new);
	if (is_new)
		vec_push(&d->news, *use);
	pthread_mutex_unlock(&d->lock);
}

bool idle_has_news(struct idle *d)
{
	pthread_mutex_lock(&d->lock);
	bool has = d->news.len;
	pthread_mutex_unlock(&d->lock);
	return has;
}

static void add_used(struct idle *d, struct idle_use use)
{
	bool is_new;
	map_put(&d->is_used, use.key ? use.key : use.place, &is_new);
	if (is_new)
		vec_push(&d->used, use);
}

static bool is_known_place(const struct idle *d, uint64_t place, size_t among)
{
	for (size_t i = 0; i < among; i++)
		if (d->used.at[i].place == place)
			return true;
	return false;
}

void idle_learn(struct idle *d)
{
	size_t before = d->used.len;
	for (size_t i = 0; i < d->news.len; i++) {
		struct idle_use use = d->news.at[i];
		if (is_known_place(d, use.place, before))
			use.key = 0;
		add_used(d, use);
	}
	d->news.len = 0;
	map_clear(&d->is_news);
}

static void save_uses(const struct idle_use *at, size_t count, struct buf *out)
{
	buf_varint(out, count);
	for (size_t i = 0; i < count; i++) {
		buf_varint(out, at[i].place);
		buf_varint(out, at[i].key);
	}
}

void idle_save(struct idle *d, struct buf *out)
{
	if (!d) {
		buf_varint(out, 0);
		buf_varint(out, 0);
		return;
	}
	pthread_mutex_lock(&d->lock);
	save_uses(d->used.at, d->used.len, out);
	save_uses(d->news.at, d->news.len, out);
	pthread_mutex_unlock(&d->lock);
}

void idle_load(struct idle *d, struct bytes *in)
{
	for (int is_news = 0; is_news < 2; is_news++) {
		size_t count = bytes_count(in, 2);
		in->is_bad |= !d && count;
		for (size_t i = 0; i < count && !in->is_bad; i++) {
			struct idle_use use = { .place = bytes_varint(in) };
			use.key = bytes_varint(in);
			if (is_news)
				note_use(d, &use);
			else
				add_used(d, use);
		}
	}
}

/* ---- an execution ---- */

static void use_instance(struct idle *d, const struct idle_worker *w, const struct mark *m)
{
	for (size_t at = m->instance + 1; at;
	     at = m->has_earlier ? w->instances.at[at - 1].before : 0)
		note_use(d, &w->instances.at[at - 1].use);
}

static void use_byte(struct idle *d, const struct idle_worker *w, uint64_t address)
{
	const uint64_t *at = map_get(&w->bytes, address);
	if (!at || !*at)
		return;
	struct marks m = w->writes.at[*at - 1];
	for (size_t i = 0; i < m.count; i++)
		use_instance(d, w, &w->marks.at[m.first + i]);
}

static void use_bytes(struct idle *d, const struct idle_worker *w, uint64_t from, uint64_t size)
{
	if (size <= w->bytes.len) {
		for (uint64_t i = 0; i < size; i++)
			use_byte(d, w, from + i);
		return;
	}
	for (size_t i = 0; i < w->bytes.cap; i++)
		if (w->bytes.slots[i].used && w->bytes.slots[i].key - from < size)
			use_byte(d, w, w->bytes.slots[i].key);
}

static void overwrite(struct idle_worker *w, uint64_t from, uint64_t size)
{
	if (size <= w->bytes.len) {
		for (uint64_t i = 0; i < size; i++) {
			uint64_t *at = map_get(&w->bytes, from + i);
			if (at)
				*at = 0;
		}
		return;
	}
	for (size_t i = 0; i < w->bytes.cap; i++)
		if (w->bytes.slots[i].used && w->bytes.slots[i].key - from < size)
			w->bytes.slots[i].value = 0;
}

static uint64_t of_thread(uint64_t place, uint64_t thread)
{
	return hash_mix(place, thread + 1);
}

/* Whether the choice counts as one out of one. */
static bool choose(struct idle *d, struct idle_worker *w, const struct wire_op *op, uint64_t thread)
{
	if (FAULT(IDLE_CHOICES_EXPLORED))
		return false;
	if (!is_choice(d, op->pc) || map_get(&d->is_used, op->pc))
		return false;
	uint64_t id = of_thread(op->pc, thread), number = (*map_put(&w->counts, id, NULL))++;
	struct instance i = { .use = { op->pc, hash_mix(id, number) | 1 } };
	uint64_t *last = map_put(&w->last, id, NULL);
	if (map_get(&d->is_used, i.use.key)) {
		*last = 0;
		return false;
	}
	i.before = *last;
	vec_push(&w->instances, i);
	*last = w->instances.len;
	return true;
}

static void store(struct idle *d, struct idle_worker *w, const struct wire_op *op, uint64_t thread)
{
	struct marks m = { .first = w->marks.len };
	if (op_is_left_frame(op))
		return;
	for (size_t i = first_store(d, op->pc);
	     i < d->stores.len && d->stores.at[i].write == op->pc; i++) {
		const struct idle_store *s = &d->stores.at[i];
		const uint64_t *last = map_get(&w->last, of_thread(s->choice, thread));
		bool is_older = !s->is_latest;
		if (FAULT(IDLE_STORES_ALL_LATEST))
			is_older = false;
		if (last && *last)
			vec_push(&w->marks, ((struct mark){ *last - 1, is_older }));
	}
	m.count = w->marks.len - m.first;
	if (!m.count) {
		bool is_at_once = !d->has_buffers;
		if (FAULT(IDLE_BUFFERED_STORE_OVERWRITES))
			is_at_once = true;
		if (is_at_once)
			overwrite(w, op->object, op->size);
		return;
	}
	vec_push(&w->writes, m);
	for (uint64_t i = 0; i < op->size; i++)
		*map_put(&w->bytes, op->object + i, NULL) = w->writes.len;
}

/* Bytes of a synchronisation object, in which the runtime may look for its kind. */
static uint64_t object_bytes(unsigned mode)
{
	switch (mode) {
	case SYNC_MUTEX:
		return sizeof(pthread_mutex_t);
	case SYNC_RDLOCK:
	case SYNC_WRLOCK:
		return sizeof(pthread_rwlock_t);
	case SYNC_COND:
		return sizeof(pthread_cond_t);
	case SYNC_BARRIER:
	case SYNC_SEMAPHORE:
		return sizeof(pthread_barrier_t);
	}
	return sizeof(int);
}

static void look_at(struct idle *d, struct idle_worker *w, const struct wire_op *op,
		    uint64_t thread)
{
	struct footprint f = op_footprint(op);
	switch ((enum event_kind)op->kind) {
	case EV_WRITE:
		store(d, w, op, thread);
		break;
	case EV_FLUSH:
	case EV_OUTSIDE_WRITE:
	case EV_INITIAL:
	case EV_ALLOC:
	case EV_FREE:
	case EV_RESIZE:
		break;
	case EV_READ:
	case EV_RMW:
		use_bytes(d, w, op->object, op->size);
		break;
#define SYNC_MEMORY(...)
#define SYNC_EVENT(NAME, ...) case EV_##NAME:
#include "wire/sync.def"
		if (f.space == SPACE_MEMORY)
			use_bytes(d, w, f.low, object_bytes(op->mode));
		break;
	}
}

static bool has_choice(const struct idle *d, const struct execution *x)
{
	OPS_EACH (op, x->ops, x->ops_count)
		if (op->kind == EV_CHOICE && is_choice(d, op->pc))
			return true;
	return false;
}

static void forget(struct idle_worker *w)
{
	w->ops.len = w->instances.len = w->marks.len = w->writes.len = 0;
	map_clear(&w->counts);
	map_clear(&w->last);
	map_clear(&w->bytes);
}

void idle_look(struct idle *d, unsigned worker, struct execution *x)
{
	struct idle_worker *w = &d->workers[worker];
	uint64_t thread = 0;
	size_t step = SIZE_MAX; /* the thread's, if none of its choices so far are real */
	if (!has_choice(d, x))
		return;
	forget(w);
	for (size_t i = 0; i < x->ops_count; i++)
		vec_push(&w->ops, x->ops[i]);
	/* What a thread awaits is read. */
	OPS_EACH_AND_AWAITED (seen, x->ops, x->ops_count) {
		size_t i = (size_t)(seen - x->ops);
		struct wire_op *op = &w->ops.at[i];
		if (op->kind == OP_STEP) {
			thread = op->object;
			step = i;
		} else if (op->kind != EV_CHOICE) {
			look_at(d, w, op, thread);
		} else if (choose(d, w, op, thread)) {
			op->size = 1;
			if (step != SIZE_MAX)
				w->ops.at[step].flags &= (uint16_t)~OPF_BOUNDED;
		} else if (step != SIZE_MAX) {
			w->ops.at[step].flags = x->ops[step].flags;
			step = SIZE_MAX;
		}
	}
	x->ops = w->ops.at;
}
