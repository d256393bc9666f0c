/* SPDX-License-Identifier: Apache-2.0 */
/* One execution: memory as the program starts with it, then its threads until the end. */
#include "interp/machine.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/stop.h"
#include "interp/schedule.h"

static void place(const struct machine *m, struct buf *out)
{
	const struct thread *t = m->current;
	if (!t || !t->frames.len)
		return;
	const struct frame *fr = &vec_last(&t->frames);
	const struct ir_func *f = fr->f->ir;
	uint32_t pc = fr->pc ? fr->pc - 1 : 0;
	uint32_t number = pc < fr->f->inst_of.len ? fr->f->inst_of.at[pc] : 0;
	const struct ir_inst *i = &f->insts.at[number];
	buf_printf(out, ", thread %u in %s", t->number, f->name);
	if (i->place.file != IR_NONE && i->place.file < m->m->files.len)
		buf_printf(out, " at %s:%u", m->m->files.at[i->place.file], i->place.line);
}

enum outcome machine_end(struct machine *m, enum interp_end end, const char *fmt, ...)
{
	char text[512];
	va_list args;
	if (m->result->end != INTERP_EXIT || m->result->message.len)
		return OUTCOME_END;
	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	m->result->end = end;
	if (end != INTERP_EXIT) {
		buf_str(&m->result->message, text);
		place(m, &m->result->message);
	}
	m->is_ending = true;
	return OUTCOME_END;
}

uint64_t machine_address(const struct machine *m, uint32_t func)
{
	(void)m;
	return FUNCTIONS_BASE + 16ull * func;
}

struct function *machine_function(struct machine *m, uint64_t address)
{
	uint64_t offset = address - FUNCTIONS_BASE;
	return offset % 16 || offset / 16 >= m->m->funcs.len ? NULL : &m->functions[offset / 16];
}

bool machine_store_const(struct machine *m, uint32_t number, void *to)
{
	const struct ir_const *c = &m->m->consts.at[number];
	const struct ir_type *t = type_of(m, c->type);
	uint64_t words[2] = { c->low, c->high };
	switch (c->kind) {
	case IR_C_INT:
		memcpy(to, words, ir_store_size(t));
		return true;
	case IR_C_GLOBAL:
	case IR_C_FUNC:
		if (c->kind == IR_C_GLOBAL && m->m->globals.at[c->index].is_tls)
			return false;
		words[0] +=
			c->kind == IR_C_FUNC ? machine_address(m, c->index) : m->globals[c->index];
		memcpy(to, words, 8);
		return true;
	case IR_C_BYTES:
		memcpy(to, c->bytes.at, c->bytes.len);
		return true;
	case IR_C_LIST:
		for (size_t i = 0; i < c->list.len; i++) {
			uint64_t offset = t->kind == IR_STRUCT ? t->fields.at[i].offset
							       : i * type_of(m, t->element)->size;
			if (!machine_store_const(m, c->list.at[i], (char *)to + offset))
				return false;
		}
		return true;
	case IR_C_ZERO:
	case IR_C_UNDEF:
		break;
	}
	return true; /* memory is zero before */
}

/* Streams and the environment are what programs know of libc's variables. */
static uint64_t foreign_variable(struct machine *m, const struct ir_global *g)
{
	static const char *const streams[] = { "stdin", "stdout", "stderr" };
	for (int i = 0; i < 3; i++) {
		if (strcmp(g->name, streams[i]))
			continue;
		uint64_t at = space_allot(m, 8, 8);
		m->streams[i] = space_allot(m, 1, 8);
		memcpy((void *)at, &m->streams[i], 8);
		return at;
	}
	if (!strcmp(g->name, "environ") || !strcmp(g->name, "__environ")) {
		uint64_t at = space_allot(m, 8, 8), list = space_allot(m, 8, 8);
		memcpy((void *)at, &list, 8);
		return at;
	}
	return 0;
}

static int allot_globals(struct machine *m, bool is_const)
{
	for (size_t i = 0; i < m->m->globals.len; i++) {
		const struct ir_global *g = &m->m->globals.at[i];
		if (g->is_tls || (g->is_const && g->init != IR_NONE) != is_const)
			continue;
		if (g->init == IR_NONE)
			m->globals[i] = foreign_variable(m, g);
		else
			m->globals[i] =
				space_allot(m, type_of(m, g->type)->size, g->align ? g->align : 1);
		if (!m->globals[i] && g->init != IR_NONE)
			return err_set(m->err, ERR_SUPPORT, "no room for the variable %s", g->name);
	}
	return 0;
}

static int init_globals(struct machine *m)
{
	m->globals = mem_zero(m->m->globals.len + 1, sizeof(*m->globals));
	int rc = allot_globals(m, true);
	m->readonly_end = m->heap;
	rc = rc ? rc : allot_globals(m, false);
	for (size_t i = 0; i < m->m->globals.len && !rc; i++) {
		const struct ir_global *g = &m->m->globals.at[i];
		if (g->is_tls || g->init == IR_NONE)
			continue;
		if (!machine_store_const(m, g->init, (void *)m->globals[i]))
			rc = err_set(
				m->err, ERR_SUPPORT,
				"the variable %s begins with the address of a thread-local one",
				g->name);
	}
	return rc;
}

uint64_t thread_local_address(struct machine *m, struct thread *t, uint32_t global)
{
	const struct ir_global *g = &m->m->globals.at[global];
	if (!t->tls[global] && g->init != IR_NONE) {
		t->tls[global] = space_allot(m, type_of(m, g->type)->size, g->align ? g->align : 1);
		if (t->tls[global])
			machine_store_const(m, g->init, (void *)t->tls[global]);
	}
	return t->tls[global];
}

static void init_functions(struct machine *m)
{
	m->functions = mem_zero(m->m->funcs.len + 1, sizeof(*m->functions));
	for (size_t i = 0; i < m->m->funcs.len; i++) {
		struct function *f = &m->functions[i];
		f->ir = &m->m->funcs.at[i];
		if (f->ir->is_defined)
			continue;
		f->builtin = intrinsic_find(f->ir->name, &f->kind);
		if (!f->builtin)
			f->builtin = sync_find(f->ir->name, &f->kind);
		if (!f->builtin)
			f->builtin = builtin_find(f->ir->name, &f->kind);
		if (!f->builtin)
			f->builtin = math_find(f->ir->name, &f->kind);
	}
}

static uint64_t save_string(struct machine *m, const char *s)
{
	uint64_t at = space_allot(m, strlen(s) + 1, 1);
	memcpy((void *)at, s, strlen(s) + 1);
	return at;
}

static int start_main(struct machine *m)
{
	uint32_t number = ir_find_func(m->m, "main");
	if (number == IR_NONE || !m->functions[number].ir->is_defined)
		return err_set(m->err, ERR_PROGRAM, "the bitcode has no function main");
	struct thread *t = thread_new(m, NULL, 0);
	uint64_t *argv = (uint64_t *)space_allot(m, 8 * ((uint64_t)m->input->argc + 1), 8);
	for (int i = 0; i < m->input->argc; i++)
		argv[i] = save_string(m, m->input->argv[i]);
	if (!thread_enter(m, t, &m->functions[number], IR_NONE))
		return 0;
	struct frame *fr = &vec_last(&t->frames);
	uint64_t values[2] = { (uint64_t)m->input->argc, (uint64_t)argv };
	for (size_t i = 0; i < fr->f->ir->params.len && i < 2; i++)
		fr->r[fr->f->slot_of[i]] = values[i];
	/* Constructors run before, the first one on top of the stack of frames. */
	for (size_t i = m->m->starts.len; i-- > 0;)
		if (!thread_enter(m, t, &m->functions[m->m->starts.at[i]], IR_NONE))
			return 0;
	m->current = t;
	return 0;
}

static void release_function(struct function *f)
{
	mem_free(f->slot_of);
	vec_release(&f->code);
	vec_release(&f->consts);
	vec_release(&f->edges);
	vec_release(&f->moves);
	vec_release(&f->lists);
	vec_release(&f->inst_of);
}

static void release(struct machine *m)
{
	for (size_t i = 0; i < m->threads.len; i++)
		thread_free(m->threads.at[i]);
	vec_release(&m->threads);
	for (size_t i = 0; m->functions && i < m->m->funcs.len; i++)
		release_function(&m->functions[i]);
	for (size_t i = 0; i < m->list.len; i++)
		vec_release(&m->list.at[i].queue);
	vec_release(&m->list);
	map_release(&m->objects);
	map_release(&m->blocks);
	vec_release(&m->exits);
	mem_free(m->functions);
	mem_free(m->globals);
	space_release(m);
}

int interp_run(const struct ir_module *ir, const struct interp_input *input,
	       struct interp_result *result, struct err *err)
{
	struct machine m = { .m = ir, .input = input, .result = result, .err = err };
	*result = (struct interp_result){ 0 };
	m.random = input->seed;
	int rc = space_init(&m);
	if (!rc) {
		init_functions(&m);
		rc = init_globals(&m);
	}
	rc = rc ? rc : start_main(&m);
	while (!rc && !m.is_ending && schedule_next(&m))
		thread_run(&m, m.current);
	rc = rc ? rc : m.rc;
	release(&m);
	return rc;
}

void interp_result_release(struct interp_result *result)
{
	buf_release(&result->message);
	buf_release(&result->out);
	buf_release(&result->errs);
	vec_release(&result->schedule);
}
