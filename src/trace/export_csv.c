/* SPDX-License-Identifier: Apache-2.0 */
/* Events as lines of CSV (RFC 4180): strings are quoted, numbers that are addresses or values are hexadecimal. */
#include "trace/export.h"

void csv_begin(struct buf *out)
{
	buf_str(out, "event,thread,own,kind,mode,size,object,a,b,flags,function,file,line,column,stack,data\r\n");
}

static void put_quoted(struct buf *out, const char *s)
{
	if (!*s)
		return;
	buf_char(out, '"');
	for (; *s; s++) {
		if (*s == '"')
			buf_char(out, '"');
		buf_char(out, *s);
	}
	buf_char(out, '"');
}

static void put_operand(struct buf *out, enum operand what, uint64_t v)
{
	buf_char(out, ',');
	if (what == OPERAND_NONE && !v)
		return;
	bool is_bits = what == OPERAND_ADDR || what == OPERAND_SYNC || what == OPERAND_VALUE || what == OPERAND_NONE;
	buf_printf(out, is_bits ? "0x%llx" : "%llu", (unsigned long long)v);
}

void csv_event(const struct trace_tables *t, const struct event *e, struct buf *out)
{
	struct event_shape shape = event_shape(e->kind);
	const struct location *l = e->loc ? &t->locations.at[e->loc] : NULL;
	const char *mode = e->mode ? event_mode_name(e->kind, e->mode) : "";
	buf_printf(out, "%llu,%u,%llu,%s,", (unsigned long long)e->index, e->thread, (unsigned long long)e->own_index,
		event_kind_name(e->kind));
	if (mode)
		buf_str(out, mode);
	else
		buf_printf(out, "%u", e->mode);
	buf_printf(out, ",%llu", (unsigned long long)e->size);
	put_operand(out, shape.obj, e->obj);
	put_operand(out, shape.a, e->a);
	put_operand(out, shape.b, e->b);
	buf_char(out, ',');
	for (unsigned bit = 1, n = 0; bit < 256; bit <<= 1) {
		const char *flag = event_flag_name(bit);
		if (!(e->flags & bit))
			continue;
		buf_str(out, n++ ? " " : "");
		if (flag)
			buf_str(out, flag);
		else
			buf_printf(out, "%u", bit);
	}
	buf_char(out, ',');
	put_quoted(out, l ? l->function : "");
	buf_char(out, ',');
	put_quoted(out, l ? l->file : "");
	buf_printf(out, ",%u,%u,%u,", l ? l->line : 0, l ? l->column : 0, e->stack);
	for (size_t i = 0; i < e->data_len; i++)
		buf_printf(out, "%02x", e->data[i]);
	buf_str(out, "\r\n");
}
