/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writing the text form.  Every field that is not zero, and every operand that the kind of event
 * has, is written; the parser assumes zero for the others.  Strings are quoted and pure ASCII, so
 * any bytes survive any editor.
 */
#include <stdbool.h>
#include <string.h>

#include "trace/text.h"

static void put_quoted(struct buf *out, const char *s)
{
	buf_char(out, '"');
	for (; *s; s++) {
		unsigned char c = (unsigned char)*s;
		if (c == '"' || c == '\\')
			buf_printf(out, "\\%c", c);
		else if (c == '\n')
			buf_str(out, "\\n");
		else if (c == '\t')
			buf_str(out, "\\t");
		else if (c < 0x20 || c >= 0x7f)
			buf_printf(out, "\\x%02x", c);
		else
			buf_char(out, (char)c);
	}
	buf_char(out, '"');
}

static void put_hex(struct buf *out, uint64_t v)
{
	buf_add(out, "0x", 2);
	buf_hex(out, v);
}

/* Large numbers are mostly addresses or bit patterns, so they are hexadecimal. */
static void put_number(struct buf *out, uint64_t v)
{
	if (v < 65536)
		buf_decimal(out, v);
	else
		put_hex(out, v);
}

static bool is_bare_word(const char *s)
{
	return *s &&
	       !s[strspn(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-")];
}

void text_fact(const struct trace_fact *f, struct buf *out)
{
	buf_str(out, "fact ");
	if (is_bare_word(f->name))
		buf_str(out, f->name);
	else
		put_quoted(out, f->name);
	buf_char(out, ' ');
	put_quoted(out, f->value);
	buf_char(out, '\n');
}

static void put_named_string(struct buf *out, const char *name, const char *value)
{
	if (*value) {
		buf_printf(out, " %s=", name);
		put_quoted(out, value);
	}
}

static void put_named_number(struct buf *out, const char *name, uint64_t value)
{
	if (value)
		buf_printf(out, " %s=%llu", name, (unsigned long long)value);
}

void text_region(uint32_t id, const struct region *r, struct buf *out)
{
	buf_printf(out, "region %u %s 0x%llx 0x%llx", id, region_kind_name(r->kind),
		   (unsigned long long)r->start, (unsigned long long)r->size);
	if (r->thread != THR_NONE)
		buf_printf(out, " T%u", r->thread);
	put_named_number(out, "flags", r->flags);
	put_named_string(out, "path", r->path);
	put_named_string(out, "build-id", r->build_id);
	buf_char(out, '\n');
}

void text_location(uint32_t id, const struct location *l, struct buf *out)
{
	buf_printf(out, "location %u", id);
	put_named_number(out, "region", l->region);
	buf_printf(out, " offset=0x%llx", (unsigned long long)l->offset);
	put_named_string(out, "function", l->function);
	put_named_string(out, "file", l->file);
	put_named_number(out, "line", l->line);
	put_named_number(out, "column", l->column);
	buf_char(out, '\n');
}

void text_stack(uint32_t id, const struct stack_node *s, struct buf *out)
{
	buf_printf(out, "stack %u @%u", id, s->loc);
	if (s->parent)
		buf_printf(out, " ^%u", s->parent);
	buf_char(out, '\n');
}

static void put_flags(struct buf *out, unsigned flags)
{
	while (flags) {
		unsigned bit = flags & -flags;
		const char *name = event_flag_name(bit);
		buf_str(out, " +");
		if (name)
			buf_str(out, name);
		else
			put_hex(out, bit);
		flags ^= bit;
	}
}

void trace_text_event(const struct event *e, struct buf *out)
{
	struct event_shape shape = event_shape(e->kind);
	buf_char(out, 'T');
	buf_decimal(out, e->thread);
	buf_char(out, ' ');
	buf_str(out, event_kind_name(e->kind));
	if (e->mode) {
		const char *name = event_mode_name(e->kind, e->mode);
		buf_char(out, ':');
		if (name)
			buf_str(out, name);
		else
			buf_decimal(out, e->mode);
	}
	if (e->size) {
		buf_char(out, ' ');
		buf_decimal(out, e->size);
	}
	if (operand_is_printed(shape.obj, e->obj)) {
		buf_char(out, ' ');
		put_hex(out, e->obj);
	}
	if (operand_is_printed(shape.a, e->a)) {
		buf_str(out, " = ");
		put_number(out, e->a);
	}
	if (operand_is_printed(shape.b, e->b)) {
		buf_str(out, " -> ");
		put_number(out, e->b);
	}
	put_flags(out, e->flags);
	if (e->data_len) {
		buf_str(out, " #");
		buf_hex_bytes(out, e->data, e->data_len);
	}
	if (e->loc) {
		buf_str(out, " @");
		buf_decimal(out, e->loc);
	}
	if (e->stack) {
		buf_str(out, " ^");
		buf_decimal(out, e->stack);
	}
	buf_char(out, '\n');
}
