/* SPDX-License-Identifier: Apache-2.0 */
/* Events as lines of CSV (RFC 4180).  Strings are quoted; addresses and values are hexadecimal. */
#include <string.h>

#include "trace/export.h"

void csv_begin(struct buf *out)
{
	buf_str(out, "event,thread,own,kind,mode,size,object,a,b,flags,function,file,line,column,"
		     "stack,data\r\n");
}

static void put_quoted(struct buf *out, const char *s)
{
	if (!*s)
		return;
	buf_char(out, '"');
	for (;;) {
		size_t plain = strcspn(s, "\"");
		buf_add(out, s, plain);
		if (!s[plain])
			break;
		buf_add(out, "\"\"", 2);
		s += plain + 1;
	}
	buf_char(out, '"');
}

static void put_operand(struct buf *out, enum operand what, uint64_t v)
{
	buf_char(out, ',');
	if (!operand_is_printed(what, v))
		return;
	if (what == OPERAND_NUM || what == OPERAND_THREAD || what == OPERAND_FAILURE) {
		buf_decimal(out, v);
	} else {
		buf_add(out, "0x", 2);
		buf_hex(out, v);
	}
}

static void put_flags(struct buf *out, unsigned flags)
{
	for (bool is_first = true; flags; is_first = false, flags &= flags - 1) {
		unsigned bit = flags & -flags;
		const char *name = event_flag_name(bit);
		if (!is_first)
			buf_char(out, ' ');
		if (name)
			buf_str(out, name);
		else
			buf_decimal(out, bit);
	}
}

static void put_place(struct buf *out, const struct location *l)
{
	if (!l) {
		buf_str(out, ",,0,0,");
		return;
	}
	put_quoted(out, l->function);
	buf_char(out, ',');
	put_quoted(out, l->file);
	buf_char(out, ',');
	buf_decimal(out, l->line);
	buf_char(out, ',');
	buf_decimal(out, l->column);
	buf_char(out, ',');
}

void csv_event(const struct trace_tables *t, const struct event *e, struct buf *out)
{
	struct event_shape shape = event_shape(e->kind);
	const char *mode = e->mode ? event_mode_name(e->kind, e->mode) : "";
	buf_decimal(out, e->index);
	buf_char(out, ',');
	buf_decimal(out, e->thread);
	buf_char(out, ',');
	buf_decimal(out, e->own_index);
	buf_char(out, ',');
	buf_str(out, event_kind_name(e->kind));
	buf_char(out, ',');
	if (mode)
		buf_str(out, mode);
	else
		buf_decimal(out, e->mode);
	buf_char(out, ',');
	buf_decimal(out, e->size);
	put_operand(out, shape.obj, e->obj);
	put_operand(out, shape.a, e->a);
	put_operand(out, shape.b, e->b);
	buf_char(out, ',');
	put_flags(out, e->flags);
	buf_char(out, ',');
	put_place(out, e->loc ? &t->locations.at[e->loc] : NULL);
	buf_decimal(out, e->stack);
	buf_char(out, ',');
	buf_hex_bytes(out, e->data, e->data_len);
	buf_add(out, "\r\n", 2);
}
