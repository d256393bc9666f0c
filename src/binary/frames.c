/* SPDX-License-Identifier: Apache-2.0 */
/* Unwritten bytes of frames; see frames.h. */
#include "binary/frames.h"

#include <stdlib.h>
#include <string.h>

#include "binary/calls.h"

#define PROLOGUE_MAX 64	     /* instructions in front of the entry hook */
#define FRAME_MAX (1u << 20) /* larger frames are left out */
#define RETURN_ADDRESS 8

struct written {
	int64_t from, to; /* relative to the return address */
};

struct prologue {
	/* the stack pointer at the beginning of the function: the return address */
	struct sym_value top;
	VEC(struct written) written;
};

/* False if the instruction may store to an unknown part of the frame. */
static bool note_stores(struct prologue *p, const struct sym_effect *effect)
{
	for (unsigned i = 0; i < effect->store_count; i++) {
		const struct sym_value *at = &effect->stores[i].address;
		if (at->unknown != p->top.unknown && at->frame)
			return false;
		if (effect->stores[i].size > FRAME_MAX)
			return false;
		if (at->unknown != p->top.unknown)
			continue; /* memory outside of the frame */
		int64_t from = at->offset - p->top.offset;
		vec_push(&p->written,
			 ((struct written){ from, from + (int64_t)effect->stores[i].size }));
	}
	return true;
}

static int by_start(const void *a, const void *b)
{
	const struct written *x = a, *y = b;
	return (x->from > y->from) - (x->from < y->from);
}

static void add_pieces(struct prologue *p, int64_t low, uint64_t pc, struct frame_pieces *out)
{
	if (p->written.len)
		qsort(p->written.at, p->written.len, sizeof(*p->written.at), by_start);
	int64_t from = low;
	for (size_t i = 0; i <= p->written.len && from < 0; i++) {
		int64_t to = i < p->written.len ? p->written.at[i].from : 0;
		to = to > 0 ? 0 : to;
		struct frame_piece piece = { .pc = pc,
					     .size = (uint32_t)(RETURN_ADDRESS - low),
					     .from = (uint32_t)(from - low),
					     .to = (uint32_t)(to - low) };
		if (to > from)
			vec_push(&out->list, piece);
		if (i < p->written.len && p->written.at[i].to > from)
			from = p->written.at[i].to;
	}
}

/* struct sym_effect has room for two stores, so instructions that may have more are not followed.
 */
static bool is_simple(const struct sym_instruction *in)
{
	switch (in->base.meta.category) {
	case ZYDIS_CATEGORY_XSAVE:
	case ZYDIS_CATEGORY_XSAVEOPT:
	case ZYDIS_CATEGORY_SYSCALL:
	case ZYDIS_CATEGORY_INTERRUPT:
	case ZYDIS_CATEGORY_SYSTEM:
	case ZYDIS_CATEGORY_STRINGOP:
		return false;
	default:
		return !code_is_jump(in) && !code_never_falls_through(in);
	}
}

static void read_function(const struct calls *calls, const struct code *code, uint64_t start,
			  uint64_t end, struct frame_pieces *out)
{
	struct prologue p = { 0 };
	struct sym_state state;
	struct sym_instruction in;
	uint64_t at = start;
	sym_reset(&state, start);
	p.top = sym_register(&state, ZYDIS_REGISTER_RSP);
	for (unsigned i = 0; i < PROLOGUE_MAX && code_decode(code, at, end, &in); i++) {
		at += in.base.length;
		if (code_is_call(&in)) {
			const struct hook *hook = calls_hook(calls, &in);
			struct sym_value sp = sym_register(&state, ZYDIS_REGISTER_RSP);
			int64_t low = sp.offset - p.top.offset;
			if (hook && !strcmp(hook->name, "__tsan_func_entry") &&
			    sp.unknown == p.top.unknown && low < 0 && low >= -(int64_t)FRAME_MAX)
				add_pieces(&p, low, at, out);
			break;
		}
		struct sym_effect effect;
		if (!is_simple(&in))
			break;
		sym_step(&state, &in, &effect);
		if (!note_stores(&p, &effect))
			break;
	}
	vec_release(&p.written);
}

int frames_unwritten(const struct image *img, struct frame_pieces *out, struct err *err)
{
	struct calls calls;
	int rc = calls_open(&calls, img, err);
	if (rc)
		return rc;
	for (size_t i = 1; i < img->sections.len; i++) {
		struct code code;
		struct addresses starts = { 0 };
		if (!calls_covers_section(&calls, i) ||
		    !code_of_section(&code, &calls.decoder, img, i))
			continue;
		code_functions(&code, img, &starts);
		for (size_t k = 0; k < starts.list.len; k++)
			read_function(&calls, &code, starts.list.at[k],
				      k + 1 < starts.list.len ? starts.list.at[k + 1] : code.end,
				      out);
		vec_release(&starts.list);
	}
	calls_close(&calls);
	return 0;
}
