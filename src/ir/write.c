/* SPDX-License-Identifier: Apache-2.0 */
/* One line for each part of a module, words separated by spaces. */
#include "ir/write.h"

#include "ir/words.h"

static void write_string(const char *s, struct buf *out)
{
	buf_char(out, '"');
	for (; *s; s++)
		if (*s == '"' || *s == '\\' || (unsigned char)*s <= ' ' || *s == 127)
			buf_printf(out, "\\%02x", (unsigned char)*s);
		else
			buf_char(out, *s);
	buf_char(out, '"');
}

static void write_number(uint64_t n, struct buf *out)
{
	buf_char(out, ' ');
	buf_decimal(out, n);
}

static void write_type(const struct ir_type *t, struct buf *out)
{
	buf_printf(out, "type %s", ir_words_type_kinds[t->kind]);
	if (t->kind == IR_INT)
		write_number(t->bits, out);
	if (t->kind == IR_ARRAY || t->kind == IR_VECTOR) {
		write_number(t->element, out);
		write_number(t->count, out);
	}
	if (t->kind == IR_STRUCT) {
		write_number(t->size, out);
		write_number(t->align, out);
		for (size_t i = 0; i < t->fields.len; i++) {
			write_number(t->fields.at[i].type, out);
			write_number(t->fields.at[i].offset, out);
		}
	}
	buf_char(out, '\n');
}

static void write_const(const struct ir_const *c, struct buf *out)
{
	buf_printf(out, "const %u %s", c->type, ir_words_const_kinds[c->kind]);
	switch (c->kind) {
	case IR_C_INT:
		write_number(c->low, out);
		if (c->high)
			write_number(c->high, out);
		break;
	case IR_C_GLOBAL:
	case IR_C_FUNC:
		write_number(c->index, out);
		write_number(c->low, out);
		break;
	case IR_C_BYTES:
		buf_char(out, ' ');
		buf_hex_bytes(out, c->bytes.at, c->bytes.len);
		break;
	case IR_C_LIST:
		for (size_t i = 0; i < c->list.len; i++)
			write_number(c->list.at[i], out);
		break;
	case IR_C_ZERO:
	case IR_C_UNDEF:
		break;
	}
	buf_char(out, '\n');
}

static void write_global(const struct ir_global *g, struct buf *out)
{
	buf_str(out, "global ");
	write_string(g->name, out);
	write_number(g->type, out);
	write_number(g->align, out);
	if (g->init == IR_NONE)
		buf_str(out, " -");
	else
		write_number(g->init, out);
	buf_printf(out, "%s%s%s\n", g->is_const ? " const" : "", g->is_tls ? " tls" : "",
		   g->is_internal ? " internal" : "");
}

static void write_value(uint32_t v, struct buf *out)
{
	buf_str(out, v & IR_CONST ? " c" : " %");
	buf_decimal(out, v & ~IR_CONST);
}

static const char *sub_word(const struct ir_inst *i)
{
	switch (i->op) {
	case IR_ICMP:
		return ir_words_icmps[i->sub];
	case IR_FCMP:
		return ir_words_fcmps[i->sub];
	case IR_RMW:
		return ir_words_rmws[i->sub];
	default:
		return NULL;
	}
}

static void write_inst(const struct ir_func *f, const struct ir_inst *i, struct buf *out)
{
	buf_char(out, '\t');
	if (i->result != IR_NONE)
		buf_printf(out, "%%%u ", i->result);
	buf_str(out, ir_op_word((enum ir_op)i->op));
	if (sub_word(i))
		buf_printf(out, ".%s", sub_word(i));
	if (i->order != IR_PLAIN)
		buf_printf(out, ".%s", ir_words_orders[i->order]);
	if (i->is_volatile)
		buf_str(out, ".volatile");
	if (i->type == IR_NONE)
		buf_str(out, " -");
	else
		write_number(i->type, out);
	for (uint32_t k = 0; k < i->operands; k++) {
		uint32_t v = ir_operands(f, i)[k];
		char kind = ir_operand_kind((enum ir_op)i->op, i->operands, k);
		if (kind == 'v') {
			write_value(v, out);
		} else {
			buf_str(out, kind == 'b' ? " b" : " ");
			buf_decimal(out, v);
		}
	}
	if (i->imm)
		buf_printf(out, " imm %lld", (long long)i->imm);
	if (i->site != IR_NONE)
		buf_printf(out, " site %u", i->site);
	if (i->place.file != IR_NONE)
		buf_printf(out, " at %u %u %u", i->place.file, i->place.line, i->place.column);
	buf_char(out, '\n');
}

static void write_func(const struct ir_func *f, struct buf *out)
{
	buf_str(out, "func ");
	write_string(f->name, out);
	write_number(f->returns, out);
	if (f->unit == IR_NONE)
		buf_str(out, " -");
	else
		write_number(f->unit, out);
	buf_printf(out, "%s%s%s", f->is_variadic ? " variadic" : "",
		   f->is_internal ? " internal" : "", f->is_defined ? " defined" : "");
	buf_str(out, " (");
	for (size_t i = 0; i < f->params.len; i++)
		write_number(f->params.at[i], out);
	buf_str(out, " )\n");
	if (!f->is_defined)
		return;
	buf_str(out, "registers");
	for (size_t i = f->params.len; i < f->registers.len; i++)
		write_number(f->registers.at[i], out);
	buf_char(out, '\n');
	for (size_t b = 0; b < f->blocks.len; b++) {
		buf_printf(out, "block %zu\n", b);
		const struct ir_block *block = &f->blocks.at[b];
		for (uint32_t i = 0; i < block->count; i++)
			write_inst(f, &f->insts.at[block->first + i], out);
	}
	buf_str(out, "end\n");
}

void ir_write(const struct ir_module *m, struct buf *out)
{
	buf_str(out, "heddle-ir 1\n");
	for (size_t i = 0; i < m->files.len; i++) {
		buf_str(out, "file ");
		write_string(m->files.at[i], out);
		buf_char(out, '\n');
	}
	for (size_t i = 0; i < m->units.len; i++) {
		buf_str(out, "unit ");
		write_string(m->units.at[i], out);
		buf_char(out, '\n');
	}
	for (size_t i = 0; i < m->types.len; i++)
		write_type(&m->types.at[i], out);
	for (size_t i = 0; i < m->consts.len; i++)
		write_const(&m->consts.at[i], out);
	for (size_t i = 0; i < m->globals.len; i++)
		write_global(&m->globals.at[i], out);
	for (size_t i = 0; i < m->starts.len; i++)
		buf_printf(out, "start %u\n", m->starts.at[i]);
	for (size_t i = 0; i < m->finishes.len; i++)
		buf_printf(out, "finish %u\n", m->finishes.at[i]);
	for (size_t i = 0; i < m->funcs.len; i++)
		write_func(&m->funcs.at[i], out);
}
