/* SPDX-License-Identifier: Apache-2.0 */
/* Making chunks; see chunk.h and wire/accesses.h.  Everything here is off the path of expected
 * accesses. */
#include "rt/chunk.h"
#include "rt/hot.h"
#include "rt/hot_offsets.h"
#include "rt/mem.h"
#include "rt/ring.h"
#include "rt/rt.h"
#include "rt/stack.h"
#include "rt/sys.h"
#include "wire/accesses.h"
#include "wire/canonical.h"
#include "wire/path.h"
#include "wire/wire.h"

#include <sys/mman.h>

#define SPANS_MAX 4096

/* A module, or other memory that may lie elsewhere in another run. */
struct span {
	uintptr_t start, size, canonical;
};

const uint64_t access_nothing;
RT_KEPT struct site *site_hints[HINTS_GROUPS][4][HINTS];
static RT_STATE struct site *sites;   /* by id */
static RT_STATE uint32_t site_count;  /* 0 is where every thread begins */
static RT_STATE uint32_t *site_table; /* ids by place, kind and size, open addressing */
static RT_STATE uint32_t site_table_size;
RT_KEPT uint8_t chunk[ACCESS_CHUNK_MAX + ACCESS_TOKEN_MAX];
static RT_KEPT struct span spans[SPANS_MAX];
static RT_STATE unsigned span_count;
static RT_STATE struct canonical_places places;

void chunk_forget_hints(void)
{
	for (unsigned i = 0; i < sizeof(site_hints) / sizeof(struct site *); i++)
		(&site_hints[0][0][0])[i] = sites; /* which is at no place */
}

void chunk_init(void)
{
	rt_map_at(KNOWN_BASE, 1ull << 44);
	sites = rt_map(ACCESS_SITES_MAX * sizeof(*sites));
	site_count = 1;
	sites[0].next_at = sites;
	g.site = sites;
	g.chunk_at = chunk;
}

struct site *chunk_first_site(void)
{
	return sites;
}

/* ---- sites ---- */

static inline uint8_t *put_varint(uint8_t *to, uint64_t v)
{
	while (v >= 0x80) {
		*to++ = (uint8_t)(v | 0x80);
		v >>= 7;
	}
	*to++ = (uint8_t)v;
	return to;
}

static uint32_t table_slot(pc_t pc, unsigned kind, unsigned size)
{
	uint64_t key = pc | (uint64_t)kind << 48 | (uint64_t)size << 56;
	return (uint32_t)(key * 0x9e3779b97f4a7c15ull >> 32) & (site_table_size - 1);
}

static void grow_table(void)
{
	site_table_size = site_table_size ? site_table_size * 2 : 1u << 12;
	site_table = rt_map(site_table_size * sizeof(*site_table));
	for (uint32_t id = 1; id < site_count; id++) {
		if (!sites[id].pc)
			continue;
		uint32_t at = table_slot(sites[id].pc, sites[id].kind, sites[id].size);
		while (site_table[at])
			at = (at + 1) & (site_table_size - 1);
		site_table[at] = id;
	}
}

/* Where the id of a site is in the table, or would be. */
static uint32_t find_slot(pc_t pc, unsigned kind, unsigned size)
{
	uint32_t at = table_slot(pc, kind, size);
	const struct site *s = &sites[site_table[at]];
	while (site_table[at] && (s->pc != pc || s->kind != kind || s->size != size)) {
		at = (at + 1) & (site_table_size - 1);
		s = &sites[site_table[at]];
	}
	return at;
}

/* The bases of what is expected, as the hooks want them. */
static void point(struct site *s)
{
	const struct access_site *m = &s->model;
	s->base_at = m->base == ADDRESS_OF_THREAD    ? &g.seen.address
		     : m->base == ADDRESS_OF_POINTER ? &g.seen.pointer
						     : &m->address;
	s->value_at = m->value_base == VALUE_OF_MEMORY ? &g.memory
		      : m->value_base == VALUE_OF_READ ? &g.seen.value
		      : m->value_base == VALUE_OF_SITE ? &m->value
						       : &access_nothing;
}

/* A place can have several sites (a call of a hook by a pointer): such are not distinguished by
 * their place. */
static void note_same_pc(struct site *s)
{
	static const uint8_t kinds[] = { EV_READ, EV_WRITE, EV_BRANCH };
	for (unsigned i = 0; i < 3 * 5; i++) {
		unsigned size = i % 5 ? 1u << (i % 5 - 1) : 0;
		struct site *other = &sites[site_table[find_slot(s->pc, kinds[i / 5], size)]];
		if (other->pc == s->pc && other != s)
			other->unique_pc = s->unique_pc = 0;
	}
}

static struct site *new_site(pc_t pc, unsigned kind, unsigned size)
{
	struct site *s = &sites[site_count];
	s->pc = pc;
	s->kind = (uint8_t)kind;
	s->size = (uint8_t)size;
	s->id = site_count++;
	s->varint_size =
		(uint8_t)(put_varint((uint8_t *)&s->varint, s->id) - (uint8_t *)&s->varint);
	s->next_at = sites;
	s->unique_pc = pc;
	s->last_word = (pc & RING_ADDR_MASK) | (uint64_t)kind << 48 | 2ull << 56;
	note_same_pc(s);
	point(s);
	uint64_t *w = ring_begin(s->id, WIRE_SITE, size, pc, 0, 1);
	w[0] = kind;
	ring_commit(3);
	return s;
}

struct site *chunk_site(pc_t pc, unsigned kind, unsigned size)
{
	unsigned group = kind == EV_READ    ? HINTS_OF_READS
			 : kind == EV_WRITE ? HINTS_OF_WRITES
					    : HINTS_OF_BRANCHES;
	struct site **hint =
		&site_hints[group][size ? __builtin_ctz(size) : 0][pc >> HINT_SHIFT & (HINTS - 1)];
	if (*hint && (*hint)->pc == pc)
		return *hint;
	if (site_count * 2 >= site_table_size)
		grow_table();
	uint32_t at = find_slot(pc, kind, size);
	if (!site_table[at]) {
		if (site_count == ACCESS_SITES_MAX)
			return NULL;
		site_table[at] = site_count;
		new_site(pc, kind, size);
	}
	*hint = &sites[site_table[at]];
	return *hint;
}

/* A site keeps its place in the table, so that others are found behind it, but nothing is at its
 * place any more. */
void chunk_forget_sites(uintptr_t low, uintptr_t high)
{
	for (uint32_t id = 1; id < site_count; id++)
		if (sites[id].pc - low < high - low)
			sites[id].pc = sites[id].unique_pc = 0;
	chunk_forget_hints();
}

/* ---- tokens ---- */

/* The low n bytes; there is room for 8. */
static inline uint8_t *put_bytes(uint8_t *to, uint64_t v, unsigned n)
{
	__builtin_memcpy(to, &v, 8);
	return to + n;
}

static inline uint8_t *put_run(uint8_t *to)
{
	uint64_t n = g.chunk_events - g.chunk_in_tokens;
	if (!n)
		return to;
	g.chunk_in_tokens = g.chunk_events;
	if (likely(n < TOKEN_RUN_LONG)) {
		*to++ = (uint8_t)(TOKEN_RUN | n);
		return to;
	}
	*to++ = TOKEN_RUN | TOKEN_RUN_LONG;
	return put_varint(to, n);
}

/* Where the next token goes, behind those that were as expected. */
static inline uint8_t *begin_token(void)
{
	if (unlikely(g.chunk_at > chunk + ACCESS_CHUNK_MAX - ACCESS_TOKEN_MAX))
		chunk_flush();
	return put_run(g.chunk_at);
}

/* Bytes that a difference needs, as a power of two. */
static inline unsigned width_of(uint64_t difference)
{
	int64_t d = (int64_t)difference;
	return d == (int8_t)d ? 0 : d == (int16_t)d ? 1 : d == (int32_t)d ? 2 : 3;
}

static inline uint64_t size_of(uint64_t difference)
{
	return (difference ^ (uint64_t)((int64_t)difference >> 63));
}

/* An address that was not expected: its token bits, and the difference at `to`. */
static inline uint8_t *put_address(uint8_t *to, struct access_site *m, uint64_t address,
				   unsigned *token)
{
	enum access_base base = ADDRESS_OF_SITE;
	uint64_t step = address - m->address, other = address - g.seen.address;
	if (size_of(other) < size_of(step)) {
		step = other;
		base = ADDRESS_OF_THREAD;
	}
	other = address - g.seen.pointer;
	if (size_of(other) < size_of(step)) {
		step = other;
		base = ADDRESS_OF_POINTER;
	}
	unsigned width = width_of(step);
	*token |= (unsigned)base << TOKEN_BASE_SHIFT | width << TOKEN_WIDTH_SHIFT;
	access_learn_address(m, base, step);
	return put_bytes(to, step, 1u << width);
}

/* A value that was not expected: a byte with base and width, then the difference. */
static inline uint8_t *put_value(uint8_t *to, struct access_site *m, uint64_t value, bool known,
				 uint64_t memory, bool is_read)
{
	unsigned base = VALUE_ABSOLUTE;
	uint64_t difference = value, other = value - memory;
	if (known && size_of(other) < size_of(difference)) {
		difference = other;
		base = VALUE_OF_MEMORY;
	}
	other = value - g.seen.value;
	if (size_of(other) < size_of(difference)) {
		difference = other;
		base = VALUE_OF_READ;
	}
	other = value - m->value;
	if (size_of(other) < size_of(difference)) {
		difference = other;
		base = VALUE_OF_SITE;
	}
	unsigned width = difference ? width_of(difference) + 1 : 0;
	*to++ = (uint8_t)(base | width << VALUE_WIDTH_SHIFT);
	if (!is_read) {
		m->value_base = (uint8_t)base;
		m->value_step = difference;
	}
	return put_bytes(to, difference, width ? 1u << (width - 1) : 0);
}

void chunk_access(struct site *s, uint64_t address, uint64_t value, bool known, uint64_t memory,
		  unsigned flags)
{
	struct access_site *m = &s->model;
	struct access_site *before = &g.site->model;
	bool is_read = s->kind == EV_READ;
	bool address_expected = *s->base_at + m->step == address;
	bool value_expected;
	if (is_read) {
		value_expected = known;
	} else {
		/* An expectation rests on memory only if it says so. */
		g.memory = memory;
		value_expected = (known || m->value_base != VALUE_OF_MEMORY) &&
				 access_truncate(*s->value_at + m->value_step, s->size) == value;
	}
	if (before->next == s->id && address_expected && m->flags == flags && value_expected) {
		g.chunk_events++;
	} else {
		uint8_t *first = begin_token(), *to = first + 1;
		unsigned token = 0;
		if (before->next != s->id) {
			token |= TOKEN_SITE;
			before->next = s->id;
			g.site->next_at = s;
			to = put_varint(to, s->id);
		}
		if (m->flags != flags) {
			token |= TOKEN_FLAGS;
			m->flags = (uint8_t)flags;
			*to++ = (uint8_t)flags;
		}
		if (!address_expected)
			to = put_address(to, m, address, &token);
		if (!value_expected) {
			token |= TOKEN_VALUE;
			to = put_value(to, m, value, known && !is_read, memory, is_read);
		}
		*first = (uint8_t)token;
		g.chunk_at = to;
		g.chunk_in_tokens = ++g.chunk_events;
		if (token & ~(TOKEN_SITE | TOKEN_FLAGS))
			point(s);
	}
	g.site = s;
	m->address = g.seen.address = address;
	if (is_read)
		access_learn_read(&g.seen, value, s->size);
	else
		m->value = value;
}

/* A branch is in a chunk like an access, but for address and value: what is expected of accesses
 * does not change. */
void chunk_branch(pc_t pc)
{
	if (g.slow & HOT_NEW_STACK && !g.session->plain_accesses)
		stack_announce_in_chunk();
	struct site *s = g.session->plain_accesses ? NULL : chunk_site(pc, EV_BRANCH, 0);
	if (!s) {
		unsigned flags = ring_event();
		ring_begin(0, EV_BRANCH, 0, pc, flags, 0);
		ring_commit(2);
		return;
	}
	if (unlikely(g.events_left-- == 0))
		ring_until_reached();
	if (g.site->model.next == s->id) {
		g.chunk_events++;
	} else {
		uint8_t *to = begin_token();
		*to++ = TOKEN_SITE;
		g.site->model.next = s->id;
		g.site->next_at = s;
		g.chunk_at = put_varint(to, s->id);
		g.chunk_in_tokens = ++g.chunk_events;
	}
	g.site = s;
}

void chunk_stack(uint32_t id)
{
	uint8_t *to = begin_token();
	*to++ = TOKEN_STACK;
	g.chunk_at = put_varint(to, id);
}

void chunk_flush(void)
{
	uint64_t bytes = (uint64_t)(put_run(g.chunk_at) - chunk), words = (bytes + 7) / 8;
	if (unlikely(g.out + 3 + words > g.out_limit))
		ring_wait_space(3 + words);
	uint64_t *w = g.out;
	w[0] = bytes | (uint64_t)WIRE_ACCESSES << 48;
	w[1] = (g.site->pc & RING_ADDR_MASK) | (uint64_t)g.site->kind << 48 | (1 + words) << 56;
	w[2] = g.chunk_events;
	w[2 + words] = 0;
	rt_memcpy(w + 3, chunk, bytes);
	ring_commit((unsigned)(3 + words));
	g.chunk_at = chunk;
	g.chunk_events = g.chunk_in_tokens = 0;
}

void chunk_switch_behind(uint32_t to, unsigned why)
{
	*ring_begin(to, EV_SWITCH, why, path_folded(g.path), 0, 1) = rt_hooks();
	ring_commit(3);
}

/* ---- what the reader knows ---- */

static void known_fill(uintptr_t p, size_t size, bool known)
{
	uintptr_t end = p + size;
	for (; p < end && p & 7; p++)
		*known_byte(p) = (uint8_t)(known ? *known_byte(p) | 1u << (p & 7)
						 : *known_byte(p) & ~(1u << (p & 7)));
	if (p < end)
		rt_memset(known_byte(p), known ? 0xff : 0, (end - p) / 8);
	for (p += (end - p) & ~7ull; p < end; p++)
		*known_byte(p) = (uint8_t)(known ? *known_byte(p) | 1u << (p & 7)
						 : *known_byte(p) & ~(1u << (p & 7)));
}

static inline bool may_be_in_module(uint64_t v)
{
	return v - g.modules_low < g.modules_size;
}

static const struct span *span_of(uint64_t address)
{
	for (unsigned i = 0; may_be_in_module(address) && i < span_count; i++)
		if (address - spans[i].start < spans[i].size)
			return &spans[i];
	return NULL;
}

bool is_module_pointer(uint64_t value)
{
	return span_of(value) != NULL;
}

uint64_t canonical_of(uint64_t address)
{
	const struct span *m = span_of(address);
	return m ? address - m->start + m->canonical : address;
}

uint64_t canonical_code(pc_t pc)
{
	if (pc - g.code_low < g.code_size)
		return pc + g.code_shift;
	const struct span *m = span_of(pc);
	if (!m)
		return 0;
	g.code_low = m->start;
	g.code_size = g.session->branch_events ? 0 : m->size;
	g.code_shift = m->canonical - m->start;
	return pc + g.code_shift;
}

void known_forget(uintptr_t p, size_t size)
{
	if (g.exploring) /* there is no reader */
		return;
	p = canonical_of(p);
	uintptr_t low = ((uintptr_t)known_byte(p) + 4096) & ~4095ull,
		  high = (uintptr_t)known_byte(p + size) & ~4095ull;
	if (high > low && high - low > 1 << 16) {
		uintptr_t from = (low - KNOWN_BASE) << 3, to = (high - KNOWN_BASE) << 3;
		sys3(SYS_madvise, low, high - low, MADV_DONTNEED);
		known_fill(p, from - p, false);
		known_fill(to, p + size - to, false);
	} else {
		known_fill(p, size, false);
	}
}

void known_shown(uintptr_t p, size_t size)
{
	uintptr_t canonical = canonical_of(p);
	known_fill(canonical, size, true);
	if (size < 8)
		return;
	for (uintptr_t at = size == 8 ? p : (p + 7) & ~7ull; at + 8 <= p + size; at += 8) {
		uint64_t v;
		__builtin_memcpy(&v, (const void *)at, 8);
		if (is_module_pointer(v))
			known_fill(canonical + (at - p), 8, false);
	}
}

/* ---- canonical addresses ---- */

static void add_span(uintptr_t start, uintptr_t size, uintptr_t canonical)
{
	if (span_count == SPANS_MAX)
		rt_fatal("more than 4096 modules");
	uintptr_t high = g.modules_size ? g.modules_low + g.modules_size : 0;
	if (!g.modules_size || start < g.modules_low)
		g.modules_low = start;
	g.modules_size = (start + size > high ? start + size : high) - g.modules_low;
	spans[span_count++] = (struct span){ start, size, canonical };
}

void canonical_add_module(uintptr_t start, uintptr_t size)
{
	add_span(start, canonical_whole_pages(size), canonical_module(&places, size));
}

void canonical_drop_module(uintptr_t start)
{
	g.code_size = 0;
	for (unsigned i = 0; i < span_count; i++)
		if (spans[i].start == start)
			spans[i] = spans[--span_count];
}

void canonical_add_region(uintptr_t start, uintptr_t size)
{
	if (start - ARENA_HEAP >= ARENA_END - ARENA_HEAP)
		add_span(start, size, canonical_region(&places, start, size));
}
