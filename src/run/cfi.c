/* SPDX-License-Identifier: Apache-2.0 */
/*
 * See cfi.h.  The tables are those of a loaded module, which the linker made; a form that is not
 * expected gives no rule, and the caller does without the frame.
 */
#include "run/cfi.h"

#include <stddef.h>

#define REG_BP 6u
#define REG_SP 7u
#define REG_RETURN 16u
#define STATES 8 /* remembered states, one inside the other */

/* Encodings of pointers (DW_EH_PE_...). */
enum { PE_DATA4 = 0x03, PE_PC_SIGNED4 = 0x1b, PE_HEADER_SIGNED4 = 0x3b };

struct reader {
	const uint8_t *at, *end;
	bool is_bad;
};

struct table_row {
	int32_t pc, entry; /* from the start of the header */
};

struct cfi_header {
	uint8_t version, start_encoding, count_encoding, table_encoding;
	int32_t start;
	uint32_t count;
	struct table_row rows[];
};

/* The CIE of a function: what its entry has in common with others. */
struct common {
	uint64_t code_unit;
	int64_t data_unit;
	uint8_t pointer_encoding;
	bool has_length; /* of additional data */
	struct reader program;
};

struct cfi_state {
	uint64_t base; /* register */
	int64_t distance, saved_bp;
	bool saves_bp, loses_bp, has_no_caller;
};

struct machine {
	struct cfi_state now, initial, kept[STATES];
	unsigned kept_count;
	uintptr_t pc;
};

static uint8_t get8(struct reader *r)
{
	if (r->at >= r->end) {
		r->is_bad = true;
		return 0;
	}
	return *r->at++;
}

static uint64_t get_fixed(struct reader *r, unsigned bytes)
{
	uint64_t n = 0;
	for (unsigned i = 0; i < bytes; i++)
		n |= (uint64_t)get8(r) << 8 * i;
	return n;
}

static uint64_t get_unsigned(struct reader *r)
{
	uint64_t n = 0;
	for (unsigned shift = 0; shift < 64; shift += 7) {
		uint8_t byte = get8(r);
		n |= (uint64_t)(byte & 127) << shift;
		if (!(byte & 128))
			return n;
	}
	r->is_bad = true;
	return 0;
}

static int64_t get_signed(struct reader *r)
{
	uint64_t n = 0;
	for (unsigned shift = 0; shift < 64;) {
		uint8_t byte = get8(r);
		n |= (uint64_t)(byte & 127) << shift;
		shift += 7;
		if (byte & 128)
			continue;
		if (byte & 64 && shift < 64)
			n |= ~0ull << shift;
		return (int64_t)n;
	}
	r->is_bad = true;
	return 0;
}

static void skip(struct reader *r, uint64_t n)
{
	if (n > (uint64_t)(r->end - r->at))
		r->is_bad = true;
	else
		r->at += n;
}

static unsigned pointer_size(uint8_t encoding)
{
	switch (encoding & 15) {
	case 0:
	case 4:
	case 12:
		return 8;
	case 2:
	case 10:
		return 2;
	case 3:
	case 11:
		return 4;
	default:
		return 0;
	}
}

/* One entry of .eh_frame, after its length. */
static struct reader entry_at(const uint8_t *at)
{
	struct reader r = { at, at + 4, false };
	uint64_t length = get_fixed(&r, 4);
	r.is_bad = !length || length == UINT32_MAX;
	r.end = r.at + length;
	return r;
}

static struct common read_common(const uint8_t *at, bool *is_good)
{
	struct common c = { 0 };
	struct reader r = entry_at(at);
	get_fixed(&r, 4); /* that it is one */
	uint8_t version = get8(&r);
	const uint8_t *extra = r.at;
	while (get8(&r))
		;
	c.code_unit = get_unsigned(&r);
	c.data_unit = get_signed(&r);
	uint64_t result = version == 1 ? get8(&r) : get_unsigned(&r);
	bool is_usual = (version == 1 || version == 3) && result == REG_RETURN;
	c.has_length = *extra == 'z';
	uint64_t length = c.has_length ? get_unsigned(&r) : 0;
	struct reader more = r;
	skip(&r, length);
	for (extra += c.has_length; *extra && is_usual; extra++) {
		if (*extra == 'R') {
			c.pointer_encoding = get8(&more);
		} else if (*extra == 'L') {
			get8(&more);
		} else if (*extra == 'P') {
			unsigned size = pointer_size(get8(&more));
			skip(&more, size);
			is_usual = size;
		} else {
			is_usual = false; /* 'S': the frame of a signal */
		}
	}
	c.program = r;
	*is_good = is_usual && !r.is_bad && !more.is_bad;
	return c;
}

static void set_saved(struct machine *m, uint64_t reg, int64_t at)
{
	if (reg == REG_BP) {
		m->now.saves_bp = true;
		m->now.saved_bp = at;
	} else if (reg == REG_RETURN && at != -8) {
		m->now.has_no_caller = true;
	}
}

/* The register is not where it was said to be. */
static void set_other(struct machine *m, uint64_t reg, bool is_lost)
{
	if (reg == REG_BP) {
		m->now.saves_bp = false;
		m->now.loses_bp = is_lost;
	} else if (reg == REG_RETURN) {
		m->now.has_no_caller = true;
	}
}

static void restore(struct machine *m, uint64_t reg)
{
	if (reg != REG_BP)
		return;
	m->now.saves_bp = m->initial.saves_bp;
	m->now.saved_bp = m->initial.saved_bp;
	m->now.loses_bp = m->initial.loses_bp;
}

/* Instructions without an operand in their first byte; false: not understood. */
static bool run_extended(struct machine *m, const struct common *c, uint8_t op, struct reader *r)
{
	uint64_t reg;
	switch (op) {
	case 0x00: /* nothing */
		return true;
	case 0x02: /* advance */
	case 0x03:
	case 0x04:
		m->pc += get_fixed(r, 1u << (op - 2)) * c->code_unit;
		return true;
	case 0x05: /* saved at */
		reg = get_unsigned(r);
		set_saved(m, reg, (int64_t)get_unsigned(r) * c->data_unit);
		return true;
	case 0x11:
		reg = get_unsigned(r);
		set_saved(m, reg, get_signed(r) * c->data_unit);
		return true;
	case 0x06:
		restore(m, get_unsigned(r));
		return true;
	case 0x07: /* undefined */
		set_other(m, get_unsigned(r), true);
		return true;
	case 0x08: /* the same */
		set_other(m, get_unsigned(r), false);
		return true;
	case 0x0a:
		if (m->kept_count == STATES)
			return false;
		m->kept[m->kept_count++] = m->now;
		return true;
	case 0x0b:
		if (!m->kept_count)
			return false;
		m->now = m->kept[--m->kept_count];
		return true;
	case 0x0c: /* the frame begins at */
		m->now.base = get_unsigned(r);
		m->now.distance = (int64_t)get_unsigned(r);
		return true;
	case 0x0d:
		m->now.base = get_unsigned(r);
		return true;
	case 0x0e:
		m->now.distance = (int64_t)get_unsigned(r);
		return true;
	case 0x10: /* an expression */
	case 0x16:
		set_other(m, get_unsigned(r), true);
		skip(r, get_unsigned(r));
		return true;
	case 0x2e: /* size of arguments */
		get_unsigned(r);
		return true;
	default:
		return false;
	}
}

/* Instructions up to the advance that passes `pc`; false: not understood. */
static bool run(struct machine *m, const struct common *c, struct reader r, uintptr_t pc)
{
	while (r.at < r.end && !r.is_bad) {
		uint8_t op = get8(&r);
		if (op >> 6 == 1)
			m->pc += (op & 63u) * c->code_unit;
		else if (op >> 6 == 2)
			set_saved(m, op & 63u, (int64_t)get_unsigned(&r) * c->data_unit);
		else if (op >> 6 == 3)
			restore(m, op & 63u);
		else if (!run_extended(m, c, op, &r))
			return false;
		if (m->pc > pc)
			return true;
		if (r.is_bad)
			return false;
	}
	return !r.is_bad;
}

static struct cfi_rule rule_of(const struct cfi_state *s)
{
	struct cfi_rule rule = { .from_bp = s->base == REG_BP,
				 .keeps_bp = !s->saves_bp && !s->loses_bp,
				 .distance = (int32_t)s->distance,
				 .saved_bp = s->saves_bp ? (int16_t)s->saved_bp : 0 };
	rule.is_known = (s->base == REG_BP || s->base == REG_SP) && !s->has_no_caller &&
			s->distance >= 8 && s->distance < INT32_MAX &&
			(!s->saves_bp || (s->saved_bp < 0 && s->saved_bp >= INT16_MIN));
	return rule;
}

/* `pc` is in the function that the entry at `at` may be about. */
static struct cfi_rule rule_in(const uint8_t *at, uintptr_t pc)
{
	struct cfi_rule none = { 0 };
	struct reader r = entry_at(at);
	const uint8_t *place = r.at;
	uint64_t back = get_fixed(&r, 4);
	if (r.is_bad || !back)
		return none;
	bool is_good;
	struct common c = read_common(place - back, &is_good);
	if (!is_good || c.pointer_encoding != PE_PC_SIGNED4)
		return none;
	const uint8_t *field = r.at;
	uintptr_t start = (uintptr_t)field + (uintptr_t)(intptr_t)(int32_t)get_fixed(&r, 4);
	uint64_t size = get_fixed(&r, 4);
	if (c.has_length)
		skip(&r, get_unsigned(&r));
	if (r.is_bad || pc - start >= size)
		return none;
	struct machine m = { .pc = start };
	if (!run(&m, &c, c.program, UINTPTR_MAX))
		return none;
	m.initial = m.now;
	m.pc = start;
	return run(&m, &c, r, pc) ? rule_of(&m.now) : none;
}

struct cfi_rule cfi_find(const void *header, uintptr_t pc)
{
	struct cfi_rule none = { 0 };
	const struct cfi_header *h = header;
	if (!h || h->version != 1 || h->start_encoding != PE_PC_SIGNED4 ||
	    h->count_encoding != PE_DATA4 || h->table_encoding != PE_HEADER_SIGNED4 || !h->count)
		return none;
	intptr_t want = (intptr_t)(pc - (uintptr_t)header);
	uint32_t low = 0, high = h->count;
	while (high - low > 1) {
		uint32_t middle = low + (high - low) / 2;
		if (h->rows[middle].pc <= want)
			low = middle;
		else
			high = middle;
	}
	return h->rows[low].pc <= want ? rule_in((const uint8_t *)header + h->rows[low].entry, pc)
				       : none;
}
