/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reading the text form, one line at a time.  The cursor only moves forward and stops at the NUL
 * that ends every line, so no line is read past its end.  Fields are in the order in which they
 * are written, with any number of blanks between them.  The first flaw ends the parse with a
 * clause.
 */
#include <stdbool.h>
#include <string.h>

#include "trace/text.h"

struct cursor {
	const char *at;
	const char *flaw; /* the first one */
};

static bool reject(struct cursor *c, const char *flaw)
{
	if (!c->flaw)
		c->flaw = flaw;
	return false;
}

static void skip_blanks(struct cursor *c)
{
	while (*c->at == ' ' || *c->at == '\t')
		c->at++;
}

/* Length of the word at the cursor: up to a blank, '=' or ':'. */
static size_t word_length(const struct cursor *c)
{
	return strcspn(c->at, " \t=:");
}

static bool accept(struct cursor *c, const char *prefix)
{
	skip_blanks(c);
	size_t len = strlen(prefix);
	if (strncmp(c->at, prefix, len))
		return false;
	c->at += len;
	return true;
}

static int digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	return c >= 'A' && c <= 'F' ? c - 'A' + 10 : 16;
}

/* A number right at the cursor: decimal, or hexadecimal after 0x. */
static bool take_number(struct cursor *c, uint64_t max, uint64_t *v)
{
	unsigned base = c->at[0] == '0' && c->at[1] == 'x' ? 16 : 10;
	const char *p = base == 16 ? c->at + 2 : c->at;
	if ((unsigned)digit(*p) >= base)
		return reject(c, "a number is missing");
	for (*v = 0; (unsigned)digit(*p) < base; p++) {
		uint64_t d = (unsigned)digit(*p);
		if (*v > (UINT64_MAX - d) / base)
			return reject(c, "a number is too large");
		*v = *v * base + d;
	}
	if (*v > max)
		return reject(c, "a number is too large");
	if (*p && *p != ' ' && *p != '\t')
		return reject(c, "a number ends in something else");
	c->at = p;
	return true;
}

static bool take_u32(struct cursor *c, uint32_t *v)
{
	uint64_t wide;
	if (!take_number(c, UINT32_MAX, &wide))
		return false;
	*v = (uint32_t)wide;
	return true;
}

static bool take_escape(struct cursor *c, struct buf *out)
{
	char kind = *c->at;
	if (kind == 'x') {
		int high = digit(c->at[1]), low = high < 16 ? digit(c->at[2]) : 16;
		if (low > 15)
			return reject(c, "an escape in a string is not finished");
		if (!high && !low)
			return reject(c, "a string contains a zero byte");
		buf_char(out, (char)(high << 4 | low));
		c->at += 3;
		return true;
	}
	if (kind != 'n' && kind != 't' && kind != '"' && kind != '\\')
		return reject(c, "a string has an unknown escape");
	buf_char(out, kind == 'n' ? '\n' : kind == 't' ? '\t' : kind);
	c->at++;
	return true;
}

/* A quoted string; *s is allocated. */
static bool take_string(struct cursor *c, char **s)
{
	struct buf out = { 0 };
	skip_blanks(c);
	if (*c->at != '"')
		return reject(c, "a quoted string is missing");
	c->at++;
	while (*c->at != '"') {
		bool ok = *c->at ? true : reject(c, "a string is not closed");
		if (ok && *c->at == '\\') {
			c->at++;
			ok = take_escape(c, &out);
		} else if (ok) {
			buf_char(&out, *c->at++);
		}
		if (ok && out.len > TRACE_STRING_MAX)
			ok = reject(c, "a string is too long");
		if (!ok) {
			buf_release(&out);
			return false;
		}
	}
	c->at++;
	*s = buf_take(&out);
	return true;
}

static bool at_end(struct cursor *c)
{
	skip_blanks(c);
	return *c->at ? reject(c, "the line has more than it should") : true;
}

/* ---- facts and definitions ---- */

static bool parse_fact(struct cursor *c, struct trace_tables *t)
{
	struct trace_fact f = { 0 };
	skip_blanks(c);
	if (*c->at == '"') {
		take_string(c, &f.name);
	} else {
		size_t len = strcspn(c->at, " \t");
		f.name = mem_strndup(c->at, len);
		c->at += len;
		if (!len)
			reject(c, "the name of a fact is missing");
	}
	bool ok = !c->flaw && take_string(c, &f.value) && at_end(c);
	if (ok && t->facts.len > TRACE_FACTS_MAX)
		ok = reject(c, "there are too many facts");
	if (ok && trace_fact(t, f.name))
		ok = reject(c, "a fact is given twice");
	if (ok) {
		vec_push(&t->facts, f);
		return true;
	}
	mem_free(f.name);
	mem_free(f.value);
	return false;
}

/* The number that a definition gives to itself must be the next one. */
static bool take_own_id(struct cursor *c, size_t next)
{
	uint64_t id;
	skip_blanks(c);
	if (!take_number(c, UINT32_MAX, &id))
		return false;
	return id == next ? true : reject(c, "a definition does not have the next number");
}

static bool named_u32(struct cursor *c, const char *name, uint32_t *v)
{
	return accept(c, name) ? take_u32(c, v) : true;
}

static bool named_string(struct cursor *c, const char *name, char **s)
{
	if (accept(c, name))
		return take_string(c, s);
	*s = mem_strdup("");
	return true;
}

static bool parse_region(struct cursor *c, struct trace_tables *t)
{
	struct region r = { .thread = THR_NONE };
	if (!take_own_id(c, t->regions.len))
		return false;
	skip_blanks(c);
	size_t len = word_length(c);
	r.kind = region_kind_by_name(c->at, len);
	c->at += len;
	if (!r.kind)
		return reject(c, "a region has an unknown kind");
	skip_blanks(c);
	bool ok = take_number(c, UINT64_MAX, &r.start);
	skip_blanks(c);
	ok = ok && take_number(c, UINT64_MAX, &r.size) && named_u32(c, "T", &r.thread) &&
	     named_u32(c, "flags=", &r.flags) && named_string(c, "path=", &r.path) &&
	     named_string(c, "build-id=", &r.build_id) && at_end(c);
	const char *flaw = ok ? region_flaw(&r) : NULL;
	if (ok && !flaw) {
		vec_push(&t->regions, r);
		return true;
	}
	mem_free(r.path);
	mem_free(r.build_id);
	return reject(c, flaw);
}

static bool parse_location(struct cursor *c, struct trace_tables *t)
{
	struct location l = { 0 };
	struct id_limits limits = tables_limits(t);
	bool ok = take_own_id(c, t->locations.len) && named_u32(c, "region=", &l.region);
	if (ok && accept(c, "offset="))
		ok = take_number(c, UINT64_MAX, &l.offset);
	ok = ok && named_string(c, "function=", &l.function) && named_string(c, "file=", &l.file) &&
	     named_u32(c, "line=", &l.line) && named_u32(c, "column=", &l.column) && at_end(c);
	const char *flaw = ok ? location_flaw(&l, &limits) : NULL;
	if (ok && !flaw) {
		vec_push(&t->locations, l);
		return true;
	}
	mem_free(l.function);
	mem_free(l.file);
	return reject(c, flaw);
}

static bool parse_stack(struct cursor *c, struct trace_tables *t)
{
	struct stack_node s = { 0 };
	struct id_limits limits = tables_limits(t);
	if (!take_own_id(c, t->stacks.len) || !named_u32(c, "@", &s.loc) ||
	    !named_u32(c, "^", &s.parent) || !at_end(c))
		return false;
	const char *flaw = stack_flaw(&s, &limits);
	if (flaw)
		return reject(c, flaw);
	vec_push(&t->stacks, s);
	return true;
}

/* ---- events ---- */

static bool take_kind(struct cursor *c, struct event *e)
{
	skip_blanks(c);
	size_t len = word_length(c);
	e->kind = (uint8_t)event_kind_by_name(c->at, len);
	if (!e->kind)
		return reject(c, "an event has an unknown kind");
	c->at += len;
	if (*c->at != ':')
		return true;
	c->at++;
	uint64_t number;
	if (digit(*c->at) < 10) {
		bool ok = take_number(c, UINT8_MAX, &number);
		e->mode = (uint8_t)number;
		return ok;
	}
	len = word_length(c);
	int mode = event_mode_by_name(e->kind, c->at, len);
	if (mode < 0)
		return reject(c, "an event has an unknown mode");
	e->mode = (uint8_t)mode;
	c->at += len;
	return true;
}

static bool take_flags(struct cursor *c, struct event *e)
{
	while (accept(c, "+")) {
		uint64_t bits;
		if (digit(*c->at) < 10) {
			if (!take_number(c, UINT8_MAX, &bits))
				return false;
		} else {
			size_t len = word_length(c);
			bits = event_flag_by_name(c->at, len);
			if (!bits)
				return reject(c, "an event has an unknown flag");
			c->at += len;
		}
		e->flags |= (uint8_t)bits;
	}
	return true;
}

static bool take_data(struct cursor *c, struct event *e, struct buf *data)
{
	buf_clear(data);
	if (!accept(c, "#"))
		return true;
	while (digit(c->at[0]) < 16 && digit(c->at[1]) < 16) {
		buf_char(data, (char)(digit(c->at[0]) << 4 | digit(c->at[1])));
		c->at += 2;
	}
	if (digit(c->at[0]) < 16 || !data->len)
		return reject(c, "the data of an event is not pairs of hexadecimal digits");
	e->data = (const unsigned char *)data->at;
	e->data_len = data->len;
	return true;
}

static bool parse_event(struct cursor *c, struct event *e, struct buf *data,
			const struct id_limits *limits)
{
	*e = (struct event){ 0 };
	if (!take_u32(c, &e->thread) || !take_kind(c, e))
		return false;
	skip_blanks(c);
	if (digit(*c->at) < 10 && strncmp(c->at, "0x", 2) && !take_number(c, UINT64_MAX, &e->size))
		return false;
	skip_blanks(c);
	if (digit(*c->at) < 10 && !take_number(c, UINT64_MAX, &e->obj))
		return false;
	if (accept(c, "=")) {
		skip_blanks(c);
		if (!take_number(c, UINT64_MAX, &e->a))
			return false;
	}
	if (accept(c, "->")) {
		skip_blanks(c);
		if (!take_number(c, UINT64_MAX, &e->b))
			return false;
	}
	if (!take_flags(c, e) || !take_data(c, e, data) || !named_u32(c, "@", &e->loc) ||
	    !named_u32(c, "^", &e->stack))
		return false;
	if (!at_end(c))
		return false;
	const char *flaw = event_flaw(e, limits);
	return flaw ? reject(c, flaw) : true;
}

static bool starts_with_word(struct cursor *c, const char *word)
{
	size_t len = strlen(word);
	if (strncmp(c->at, word, len) || (c->at[len] && c->at[len] != ' ' && c->at[len] != '\t'))
		return false;
	c->at += len;
	return true;
}

int text_parse(const char *line, struct trace_tables *t, struct event *e, struct buf *data,
	       const char **flaw)
{
	struct cursor c = { .at = line };
	struct id_limits limits = tables_limits(t);
	int kind = -1;
	skip_blanks(&c);
	if (!*c.at || *c.at == '#')
		kind = TEXT_NOTHING;
	else if (c.at[0] == 'T' && digit(c.at[1]) < 10)
		c.at++, kind = parse_event(&c, e, data, &limits) ? TEXT_EVENT : -1;
	else if (starts_with_word(&c, "fact"))
		kind = parse_fact(&c, t) ? TEXT_FACT : -1;
	else if (starts_with_word(&c, "region"))
		kind = parse_region(&c, t) ? TEXT_DEFINITION : -1;
	else if (starts_with_word(&c, "location"))
		kind = parse_location(&c, t) ? TEXT_DEFINITION : -1;
	else if (starts_with_word(&c, "stack"))
		kind = parse_stack(&c, t) ? TEXT_DEFINITION : -1;
	else if (starts_with_word(&c, "end"))
		kind = at_end(&c) ? TEXT_END : -1;
	else
		reject(&c, "the line is none of fact, region, location, stack, event and end");
	*flaw = c.flaw;
	return kind;
}
