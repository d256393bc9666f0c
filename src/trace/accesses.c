/* SPDX-License-Identifier: Apache-2.0 */
/* Reading chunks; see accesses.h. */
#include "trace/accesses.h"

#include "base/alloc.h"

#define THREADS_MAX (1u << 20)

struct access_reader *access_reader_new(void)
{
	struct access_reader *r = mem_zero(1, sizeof(*r));
	vec_add(&r->sites);
	vec_add(&r->threads);
	return r;
}

void access_reader_free(struct access_reader *r)
{
	if (!r)
		return;
	vec_release(&r->sites);
	vec_release(&r->threads);
	memory_release(&r->image);
	mem_free(r);
}

const char *site_flaw(const struct trace_site *s, uint32_t locations)
{
	if (s->kind != EV_READ && s->kind != EV_WRITE && s->kind != EV_BRANCH)
		return "a site is neither of reads nor of writes nor of branches";
	if (s->kind == EV_BRANCH ? s->size
				 : s->size != 1 && s->size != 2 && s->size != 4 && s->size != 8)
		return "a site has accesses of impossible size";
	if (s->loc >= locations)
		return "a site names a location that is not defined";
	return NULL;
}

void access_reader_site(struct access_reader *r, const struct trace_site *s)
{
	vec_add(&r->sites)->is = *s;
}

static void apply_bytes(struct access_reader *r, const struct event *e)
{
	bool is_new = e->kind == EV_RMW && !(e->flags & EVF_FAILED);
	uint64_t value = is_new ? e->b : e->a;
	if (e->flags & EVF_HASHED)
		return;
	if (e->data_len >= e->size && e->data_len)
		memory_put(&r->image, e->obj,
			   e->data + (is_new && e->data_len >= 2 * e->size ? e->size : 0), e->size);
	else if (e->size <= 8)
		memory_put(&r->image, e->obj, &value, e->size);
}

void access_reader_follow(struct access_reader *r, const struct event *e)
{
	r->thread = e->thread;
	switch ((enum event_kind)e->kind) {
	case EV_READ:
	case EV_WRITE:
	case EV_RMW:
	case EV_INITIAL:
	case EV_OUTSIDE_WRITE:
		apply_bytes(r, e);
		break;
	case EV_FLUSH: /* its bytes came with the write */
	case EV_ALLOC:
	case EV_FREE:
	case EV_RESIZE:
#define SYNC_MEMORY(...)
#define SYNC_EVENT(NAME, ...) case EV_##NAME:
#include "wire/sync.def"
		break;
	}
}

static const char cut[] = "a chunk of accesses ends within one";

static bool take_varint(struct access_reader *r, uint64_t *v)
{
	*v = 0;
	for (unsigned shift = 0; r->at < r->end && shift < 63; shift += 7) {
		uint8_t byte = *r->at++;
		*v |= (uint64_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80))
			return true;
	}
	return false;
}

/* A signed difference of 0, 1, 2, 4 or 8 bytes. */
static bool take_difference(struct access_reader *r, unsigned n, uint64_t *v)
{
	int8_t one;
	int16_t two;
	int32_t four;
	*v = 0;
	if (r->end - r->at < n)
		return false;
	switch (n) {
	case 1:
		memcpy(&one, r->at, 1);
		*v = (uint64_t)one;
		break;
	case 2:
		memcpy(&two, r->at, 2);
		*v = (uint64_t)two;
		break;
	case 4:
		memcpy(&four, r->at, 4);
		*v = (uint64_t)four;
		break;
	case 8:
		memcpy(v, r->at, 8);
		break;
	}
	r->at += n;
	return true;
}

/* Skip tokens that are not accesses, up to one that is.  At the beginning of a run *token becomes
 * 0, and r->run counts the accesses of the run that remain. */
static const char *next_token(struct access_reader *r, struct access_reader_thread *t,
			      uint32_t stacks, unsigned *token)
{
	uint64_t v;
	for (;;) {
		if (r->at == r->end)
			return r->left ? cut : NULL;
		*token = *r->at++;
		if (*token & TOKEN_RUN) {
			r->run = *token & TOKEN_RUN_LONG;
			if (r->run == TOKEN_RUN_LONG && !take_varint(r, &r->run))
				return cut;
			if (!r->run || r->run > r->left)
				return "a chunk of accesses has more of them than it says";
			r->run--;
			*token = 0;
			return NULL;
		} else if (*token == TOKEN_STACK) {
			if (!take_varint(r, &v))
				return cut;
			if (v >= stacks)
				return "an access names a call stack that is not defined";
			t->stack = (stack_id)v;
		} else if (!(*token >> TOKEN_BASE_SHIFT & 3) && *token >> TOKEN_WIDTH_SHIFT & 3) {
			return "a chunk of accesses has an unknown token";
		} else if (!r->left) {
			return "a chunk of accesses has more of them than it says";
		} else {
			return NULL;
		}
	}
}

/* The site of the access; NULL and *flaw if there is none. */
static struct access_reader_site *take_site(struct access_reader *r, struct access_reader_thread *t,
					    unsigned token, const char **flaw)
{
	struct access_site *before = &r->sites.at[t->site].model;
	uint64_t id = before->next;
	*flaw = NULL;
	if (token & TOKEN_SITE && !take_varint(r, &id))
		*flaw = cut;
	else if (!id || id >= r->sites.len)
		*flaw = "an access names a site that is not defined";
	if (*flaw)
		return NULL;
	before->next = (uint32_t)id;
	t->site = (uint32_t)id;
	return &r->sites.at[id];
}

static const char *take_address(struct access_reader *r, struct access_site *m,
				const struct access_thread *seen, unsigned token, uint64_t *address)
{
	unsigned base = token >> TOKEN_BASE_SHIFT & 3;
	uint64_t step;
	if (!base) {
		*address = access_expected_address(m, seen);
		return NULL;
	}
	if (!take_difference(r, 1u << (token >> TOKEN_WIDTH_SHIFT & 3), &step))
		return cut;
	*address = access_base_address(m, seen, base) + step;
	access_learn_address(m, base, step);
	return NULL;
}

static const char *take_value(struct access_reader *r, struct access_reader_site *s,
			      const struct access_thread *seen, unsigned token, uint64_t memory,
			      uint64_t *value)
{
	struct access_site *m = &s->model;
	uint64_t difference;
	if (!(token & TOKEN_VALUE)) {
		*value = s->is.kind == EV_READ ? memory
					       : access_expected_value(m, seen, memory, s->is.size);
		return NULL;
	}
	if (r->at == r->end)
		return cut;
	unsigned form = *r->at++, width = form >> VALUE_WIDTH_SHIFT, base = form & 3;
	if (form & ~VALUE_BITS || width > 4)
		return "a value has an unknown form";
	if (!take_difference(r, width ? 1u << (width - 1) : 0, &difference))
		return cut;
	*value = access_truncate(access_base_value(m, seen, base, memory) + difference, s->is.size);
	if (s->is.kind == EV_WRITE) {
		m->value_base = (uint8_t)base;
		m->value_step = difference;
	}
	return NULL;
}

static struct access_reader_thread *running(struct access_reader *r)
{
	if (r->thread < THREADS_MAX)
		vec_grow_zeroed(&r->threads, r->thread + 1ull);
	return &r->threads.at[r->thread < THREADS_MAX ? r->thread : 0];
}

const char *access_reader_begin(struct access_reader *r, const void *bytes, size_t len,
				uint64_t accesses, uint32_t stacks)
{
	unsigned token;
	r->at = bytes;
	r->end = r->at + len;
	r->left = accesses;
	r->run = 0;
	return accesses ? NULL : next_token(r, running(r), stacks, &token);
}

/* Fields that the token does not announce have their predicted values. */
static const char *take_access(struct access_reader *r, struct access_reader_site *s,
			       struct access_reader_thread *t, unsigned token, uint64_t *address,
			       uint64_t *value)
{
	if (token & TOKEN_FLAGS) {
		if (r->at == r->end)
			return cut;
		s->model.flags = *r->at++;
	}
	const char *flaw = take_address(r, &s->model, &t->seen, token, address);
	if (flaw)
		return flaw;
	bool is_read = s->is.kind == EV_READ;
	flaw = take_value(r, s, &t->seen, token, memory_get(&r->image, *address, s->is.size),
			  value);
	if (flaw)
		return flaw;
	if (!is_read || token & TOKEN_VALUE)
		memory_set(&r->image, *address, *value, s->is.size);
	s->model.address = t->seen.address = *address;
	if (is_read)
		access_learn_read(&t->seen, *value, s->is.size);
	else
		s->model.value = *value;
	return NULL;
}

static inline const char *next_access(struct access_reader *r, struct access_reader_thread *t,
				      uint32_t stacks, struct event *e)
{
	unsigned token = 0;
	const char *flaw;
	if (r->run) {
		r->run--;
	} else {
		flaw = next_token(r, t, stacks, &token);
		if (flaw)
			return flaw;
	}
	struct access_reader_site *s = take_site(r, t, token, &flaw);
	if (flaw)
		return flaw;
	uint64_t address = 0, value = 0;
	if (s->is.kind == EV_BRANCH)
		flaw = token & ~TOKEN_SITE ? "a branch has flags, an address or a value" : NULL;
	else
		flaw = take_access(r, s, t, token, &address, &value);
	if (flaw)
		return flaw;
	*e = (struct event){ .obj = address,
			     .a = value,
			     .size = s->is.size,
			     .thread = r->thread,
			     .loc = s->is.loc,
			     .stack = t->stack,
			     .kind = s->is.kind,
			     .flags = s->model.flags };
	r->left--;
	/* Only a change of the call stack can follow the last access. */
	return r->left || r->run ? NULL : next_token(r, t, stacks, &token);
}

const char *access_reader_next(struct access_reader *r, uint32_t stacks, struct event *e)
{
	return next_access(r, running(r), stacks, e);
}

size_t access_reader_take(struct access_reader *r, uint32_t stacks, struct event *events,
			  size_t max, const char **flaw)
{
	struct access_reader_thread *t = running(r);
	size_t n = 0;
	*flaw = NULL;
	while (n < max && r->left && !(*flaw = next_access(r, t, stacks, &events[n])))
		n++;
	return n;
}
