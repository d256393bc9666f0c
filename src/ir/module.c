/* SPDX-License-Identifier: Apache-2.0 */
/* Access to the parts of a module. */
#include "ir/ir.h"

#include <string.h>

#include "ir/words.h"

static const struct {
	const char *word, *operands;
} ops[] = {
#define IR_OP(NAME, word, operands) [IR_##NAME] = { word, operands },
#include "ir/ops.def"
#undef IR_OP
};

#define IR_WORDS(name, ...) const char *const ir_words_##name[] = { __VA_ARGS__, NULL };
#include "ir/words.def"
#undef IR_WORDS

const char *ir_op_word(enum ir_op op)
{
	return ops[op].word;
}

const char *ir_op_operands(enum ir_op op)
{
	return ops[op].operands;
}

char ir_operand_kind(enum ir_op op, uint32_t operands, uint32_t number)
{
	const char *pattern = ops[op].operands;
	const char *repeated = strchr(pattern, '(');
	size_t fixed = repeated ? (size_t)(repeated - pattern) : strlen(pattern);
	if (number >= operands || operands < fixed)
		return 0;
	if (number < fixed)
		return pattern[number];
	if (!repeated)
		return 0;
	size_t period = strcspn(repeated + 1, ")");
	if ((operands - fixed) % period)
		return 0;
	return repeated[1 + (number - fixed) % period];
}

/* No object of a program is larger. */
#define SIZE_LIMIT (1ull << 46)

bool ir_type_layout(const struct ir_module *m, struct ir_type *t)
{
	static const uint64_t sizes[] = {
		[IR_VOID] = 0, [IR_F32] = 4, [IR_F64] = 8, [IR_F80] = 16, [IR_PTR] = 8
	};
	switch (t->kind) {
	case IR_VOID:
	case IR_F32:
	case IR_F64:
	case IR_F80:
	case IR_PTR:
		t->size = sizes[t->kind];
		t->align = t->size ? t->size : 1;
		return true;
	case IR_INT:
		if (!t->bits || t->bits > 128)
			return false;
		for (t->size = 1; t->size * 8 < t->bits;)
			t->size *= 2;
		t->align = t->size;
		return true;
	case IR_ARRAY:
	case IR_VECTOR:
		if (t->element >= m->types.len)
			return false;
		const struct ir_type *e = &m->types.at[t->element];
		if (e->kind == IR_VOID || (e->size && t->count > SIZE_LIMIT / e->size))
			return false;
		t->size = e->size * t->count;
		t->align = e->align;
		if (t->kind == IR_ARRAY)
			return true;
		if (!ir_is_scalar(e) || e->size != ir_store_size(e) ||
		    (e->kind == IR_INT && e->bits % 8) || !t->count)
			return false;
		for (t->align = 1; t->align < t->size;)
			t->align *= 2;
		t->size = t->align;
		return true;
	case IR_STRUCT:
		if (t->size > SIZE_LIMIT || !t->align || (t->align & (t->align - 1)))
			return false;
		for (size_t i = 0; i < t->fields.len; i++) {
			const struct ir_field *field = &t->fields.at[i];
			if (field->type >= m->types.len)
				return false;
			uint64_t size = m->types.at[field->type].size;
			if (size > t->size || field->offset > t->size - size)
				return false;
		}
		return true;
	}
	return false;
}

static void release_func(struct ir_func *f)
{
	mem_free(f->name);
	vec_release(&f->params);
	vec_release(&f->registers);
	vec_release(&f->blocks);
	vec_release(&f->insts);
	vec_release(&f->operands);
}

void ir_module_release(struct ir_module *m)
{
	for (size_t i = 0; i < m->types.len; i++)
		vec_release(&m->types.at[i].fields);
	for (size_t i = 0; i < m->consts.len; i++) {
		vec_release(&m->consts.at[i].bytes);
		vec_release(&m->consts.at[i].list);
	}
	for (size_t i = 0; i < m->globals.len; i++)
		mem_free(m->globals.at[i].name);
	for (size_t i = 0; i < m->funcs.len; i++)
		release_func(&m->funcs.at[i]);
	for (size_t i = 0; i < m->files.len; i++)
		mem_free(m->files.at[i]);
	for (size_t i = 0; i < m->units.len; i++)
		mem_free(m->units.at[i]);
	vec_release(&m->types);
	vec_release(&m->consts);
	vec_release(&m->globals);
	vec_release(&m->funcs);
	vec_release(&m->files);
	vec_release(&m->units);
	vec_release(&m->starts);
	vec_release(&m->finishes);
}

uint32_t ir_find_func(const struct ir_module *m, const char *name)
{
	for (uint32_t i = 0; i < m->funcs.len; i++)
		if (!strcmp(m->funcs.at[i].name, name))
			return i;
	return IR_NONE;
}

uint32_t ir_find_global(const struct ir_module *m, const char *name)
{
	for (uint32_t i = 0; i < m->globals.len; i++)
		if (!strcmp(m->globals.at[i].name, name))
			return i;
	return IR_NONE;
}

uint32_t ir_successors(const struct ir_func *f, uint32_t block, uint32_t *out, uint32_t room)
{
	const struct ir_block *b = &f->blocks.at[block];
	const struct ir_inst *last = &f->insts.at[b->first + b->count - 1];
	const uint32_t *v = ir_operands(f, last);
	uint32_t count = 0;
	if (last->op == IR_RET || last->op == IR_UNREACHABLE)
		return 0;
	for (uint32_t i = 0; i < last->operands; i++) {
		if (ir_operand_kind((enum ir_op)last->op, last->operands, i) != 'b')
			continue;
		if (count < room)
			out[count] = v[i];
		count++;
	}
	return count;
}

uint32_t ir_callee(const struct ir_module *m, const struct ir_func *f, const struct ir_inst *i)
{
	uint32_t v = ir_operands(f, i)[0];
	if (i->op != IR_CALL || !(v & IR_CONST))
		return IR_NONE;
	const struct ir_const *c = &m->consts.at[v & ~IR_CONST];
	return c->kind == IR_C_FUNC && !c->low ? c->index : IR_NONE;
}
