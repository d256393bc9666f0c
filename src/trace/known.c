/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lines of bytes with a bit for each known byte.  Making a large range unknown takes constant
 * time: the range gets a stamp, and a line with an older stamp is checked against it before the
 * line is used.  Only lines that are completely covered are stamped; partial lines at both ends
 * are changed immediately.
 */
#include "trace/known.h"

static struct known_line *line_at(struct known *t, uint64_t number, bool make)
{
	struct known_hint *hint = &t->hints[number % (sizeof(t->hints) / sizeof(*t->hints))];
	struct known_line *l;
	if (hint->number == number + 1) {
		l = &t->lines.at[hint->index];
	} else {
		bool is_new = false;
		uint64_t *index =
			make ? map_put(&t->line_of, number, &is_new) : map_get(&t->line_of, number);
		if (!index)
			return NULL;
		if (is_new) {
			*index = t->lines.len;
			vec_add(&t->lines)->stamp = t->stamp;
		}
		*hint = (struct known_hint){ number + 1, (uint32_t)*index };
		l = &t->lines.at[*index];
	}
	if (l->stamp != t->stamp) {
		if (range_stamps_get(&t->forgotten, number) > l->stamp)
			l->known = 0;
		l->stamp = t->stamp;
	}
	return l;
}

/* The bits of n bytes of a line, from byte `at` on. */
static uint64_t bits_of(unsigned at, unsigned n)
{
	return (n == KNOWN_LINE ? ~0ull : (1ull << n) - 1) << at;
}

static void forget_part(struct known *t, uint64_t number, unsigned at, unsigned n)
{
	struct known_line *l = line_at(t, number, false);
	if (l)
		l->known &= ~bits_of(at, n);
}

static void forget(struct known *t, uint64_t address, uint64_t size)
{
	uint64_t last = address + size - 1;
	uint64_t from = address / KNOWN_LINE, to = last / KNOWN_LINE;
	unsigned begin = address % KNOWN_LINE, end = last % KNOWN_LINE + 1;
	if (from == to) {
		forget_part(t, from, begin, end - begin);
		return;
	}
	forget_part(t, from, begin, KNOWN_LINE - begin);
	forget_part(t, to, 0, end);
	if (to - from > 1)
		range_stamps_mark(&t->forgotten, from + 1, to - 1, ++t->stamp);
}

/* The part of [address, address + size) that lies in the first line; sizes never go around the
 * end of memory. */
static unsigned part_of(uint64_t address, uint64_t size)
{
	unsigned room = KNOWN_LINE - address % KNOWN_LINE;
	return size < room ? (unsigned)size : room;
}

static uint64_t within_memory(uint64_t address, uint64_t size)
{
	return size && size - 1 > UINT64_MAX - address ? UINT64_MAX - address + 1 : size;
}

void known_write(struct known *t, uint64_t address, const unsigned char *bytes, uint64_t size)
{
	size = within_memory(address, size);
	if (!size)
		return;
	if (!bytes) {
		forget(t, address, size);
		return;
	}
	while (size) {
		unsigned at = address % KNOWN_LINE, n = part_of(address, size);
		struct known_line *l = line_at(t, address / KNOWN_LINE, true);
		memcpy(l->bytes + at, bytes, n);
		l->known |= bits_of(at, n);
		address += n;
		bytes += n;
		size -= n;
	}
}

bool known_read(struct known *t, uint64_t address, const unsigned char *bytes, uint64_t size,
		uint64_t *where, unsigned char *has)
{
	size = within_memory(address, size);
	while (size) {
		unsigned at = address % KNOWN_LINE, n = part_of(address, size);
		struct known_line *l = line_at(t, address / KNOWN_LINE, true);
		uint64_t bits = bits_of(at, n);
		if ((l->known & bits) != bits || memcmp(l->bytes + at, bytes, n)) {
			for (unsigned i = 0; i < n; i++) {
				if ((l->known >> (at + i) & 1) && l->bytes[at + i] != bytes[i]) {
					*where = address + i;
					*has = l->bytes[at + i];
					return false;
				}
				l->bytes[at + i] = bytes[i];
				l->known |= 1ull << (at + i);
			}
		}
		address += n;
		bytes += n;
		size -= n;
	}
	return true;
}

/* An outside-write of the bytes that an event has read. */
static struct event outside_of(const struct event *e, const unsigned char *bytes)
{
	struct event outside = *e;
	outside.kind = EV_OUTSIDE_WRITE;
	outside.mode = MODE_PLAIN;
	outside.flags &= EVF_STACK;
	outside.b = 0;
	outside.data = e->size > 8 ? bytes : NULL;
	outside.data_len = e->size > 8 ? e->size : 0;
	return outside;
}

bool known_follow(struct known *t, const struct event *e, struct event *outside)
{
	unsigned char small[8], has;
	uint64_t where;
	const unsigned char *old = event_bytes(e, false, small);
	bool reads = e->kind == EV_READ || e->kind == EV_RMW;
	bool is_unexplained = reads && old && !known_read(t, e->obj, old, e->size, &where, &has);
	if (is_unexplained) {
		*outside = outside_of(e, old);
		known_write(t, e->obj, old, e->size);
	}
	switch ((enum event_kind)e->kind) {
	case EV_RMW:
		if (e->flags & EVF_FAILED)
			break;
		/* fall through */
	case EV_WRITE:
	case EV_FLUSH:
	case EV_INITIAL:
	case EV_OUTSIDE_WRITE:
		known_write(t, e->obj, event_bytes(e, e->kind == EV_RMW, small), e->size);
		break;
	case EV_ALLOC:
	case EV_FREE:
	case EV_RESIZE:
		/* The whole block becomes unknown.  For a resize that is more than necessary,
		 * which only weakens later checks. */
		known_write(t, e->obj, NULL,
			    e->kind == EV_RESIZE && e->a > e->size ? e->a : e->size);
		break;
	case EV_READ:
#define SYNC_MEMORY(...)
#define SYNC_EVENT(NAME, ...) case EV_##NAME:
#include "wire/sync.def"
		break;
	}
	return is_unexplained;
}

void known_release(struct known *t)
{
	map_release(&t->line_of);
	vec_release(&t->lines);
	range_stamps_release(&t->forgotten);
}

const unsigned char *event_bytes(const struct event *e, bool is_new, unsigned char small[8])
{
	if (e->flags & EVF_HASHED)
		return NULL;
	if (e->size <= 8) {
		uint64_t v = is_new ? e->b : e->a;
		memcpy(small, &v, 8);
		return small;
	}
	uint64_t want = e->size * (e->kind == EV_RMW ? 2 : 1);
	if (want / e->size != (e->kind == EV_RMW ? 2 : 1) || e->data_len != want)
		return NULL;
	return e->data + (is_new ? e->size : 0);
}
