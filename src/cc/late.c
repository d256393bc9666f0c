/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finding late stores; see late.h.
 *
 * At each call of a write hook, the address argument is a symbolic value (flow.h).  The code
 * after the call is followed on both branches of conditional jumps, through up to WINDOWS hook
 * calls.  A *window* is the code between two hook calls.  For each window two facts are
 * collected: whether a store certainly hits the hook's range, and whether a store may hit it.
 *
 *   a certain hit in the first window                the usual order
 *   no certain hit there, but one in the second      late, if no store in the first window may
 *                                                    hit, or if the hook between is the read hook
 *                                                    of the same size: a copy
 *   no possible hit in the first, a read hook,
 *   and a possible hit in the second                 late
 *   a certain hit only in a later window             too late: reported
 *   anything else                                    unproved: not patched
 *
 * A hook without a store after it (the store was optimised away) is unproved and harmless: the
 * memory has not changed whenever the runtime reads it.
 */
#include "cc/late.h"

#include <elfutils/libdw.h>
#include <string.h>

#include "binary/calls.h"
#include "binary/flow.h"

#define WINDOWS 4
#define MAX_INSTRUCTIONS 400 /* followed after one hook, all paths together */
#define MAX_FORKS 6

struct scan {
	struct calls calls;
	unsigned char *bytes;
	struct late_report *report;
	uint64_t constant_from, constant_to; /* the GOT, which the dynamic linker fills once */
	bool lacks_late_forms;
};

struct window {
	bool hits, may_hit;
	bool ends_in_hook;
	bool only_reads;      /* every hook that ends it is a read hook of the write's size */
	bool only_read_hooks; /* the same for read hooks of any size */
};

struct walk {
	struct sym_value address;
	uint64_t size;
	unsigned hook_size;
	struct window window[WINDOWS];
	unsigned instructions, forks;
};

static bool decode_at(const struct scan *scan, uint64_t address, struct sym_instruction *in)
{
	size_t len = 0;
	const unsigned char *p = image_at(scan->calls.img, address, 1, &len);
	in->address = address;
	return p && ZYAN_SUCCESS(ZydisDecoderDecodeFull(&scan->calls.decoder, p, len, &in->base,
							in->operands));
}

/* ---- code after a write hook ---- */

static void note_stores(struct walk *w, unsigned window, const struct sym_effect *effect)
{
	for (unsigned i = 0; i < effect->store_count; i++) {
		switch (sym_compare(&w->address, w->size, &effect->stores[i].address,
				    effect->stores[i].size)) {
		case SYM_OVERLAP:
			w->window[window].hits = true;
			/* fall through */
		case SYM_SPILL:
		case SYM_UNRELATED:
			w->window[window].may_hit = true;
			break;
		case SYM_DISJOINT:
			break;
		}
	}
}

static void note_hook(struct walk *w, unsigned window, const struct hook *hook)
{
	struct window *win = &w->window[window];
	bool is_read = hook->kind == HOOK_READ;
	bool is_same = is_read && hook->size == w->hook_size;
	win->only_reads = is_same && (win->only_reads || !win->ends_in_hook);
	win->only_read_hooks = is_read && (win->only_read_hooks || !win->ends_in_hook);
	win->ends_in_hook = true;
}

static void follow(const struct scan *scan, struct walk *w, struct sym_state state, uint64_t at,
		   unsigned window)
{
	struct sym_instruction in;
	while (w->instructions++ < MAX_INSTRUCTIONS && decode_at(scan, at, &in)) {
		const struct hook *hook = calls_hook(&scan->calls, &in);
		bool is_call = in.base.meta.category == ZYDIS_CATEGORY_CALL;
		at += in.base.length;
		if (hook && (is_call || in.base.mnemonic == ZYDIS_MNEMONIC_JMP)) {
			note_hook(w, window, hook);
			if (!is_call || ++window == WINDOWS)
				return;
			sym_after_call(&state, in.address, true);
			continue;
		}
		if (is_call || in.base.meta.category == ZYDIS_CATEGORY_RET)
			return;
		if (in.base.meta.category == ZYDIS_CATEGORY_UNCOND_BR) {
			at = in.operands[0].type == ZYDIS_OPERAND_TYPE_IMMEDIATE ? code_target(&in)
										 : 0;
			continue;
		}
		if (in.base.meta.category == ZYDIS_CATEGORY_COND_BR) {
			if (w->forks++ >= MAX_FORKS)
				return;
			follow(scan, w, state, code_target(&in), window);
			continue;
		}
		struct sym_effect effect;
		sym_step(&state, &in, &effect);
		note_stores(w, window, &effect);
	}
}

enum verdict { USUAL, LATE, TOO_LATE, UNPROVED };

static enum verdict judge(const struct walk *w)
{
	const struct window *win = w->window;
	if (win[0].hits)
		return USUAL;
	if (!win[0].ends_in_hook)
		return UNPROVED;
	if (win[1].hits)
		return !win[0].may_hit || win[0].only_reads ? LATE : UNPROVED;
	if (!win[0].may_hit && win[0].only_read_hooks && win[1].may_hit)
		return LATE;
	if (!win[0].may_hit && !win[1].may_hit && (win[2].hits || win[3].hits))
		return TOO_LATE;
	return UNPROVED;
}

/* ---- patching ---- */

/* "function+0x12 (file.c:7)", as far as symbols and debugging information are available. */
static void describe_place(const struct scan *scan, uint64_t address, struct buf *out)
{
	const struct image_symbol *best = NULL;
	for (size_t i = 0; i < scan->calls.img->symbols.len; i++) {
		const struct image_symbol *s = &scan->calls.img->symbols.at[i];
		if (s->type == STT_FUNC && s->is_defined && s->address <= address &&
		    address - s->address < s->size)
			best = s;
	}
	buf_printf(out, "%s+0x%llx", best ? best->name : "0x0",
		   (unsigned long long)(address - (best ? best->address : 0)));
	Elf *elf = elf_memory((char *)scan->bytes, scan->calls.img->len);
	Dwarf *dwarf = elf ? dwarf_begin_elf(elf, DWARF_C_READ, NULL) : NULL;
	Dwarf_Die unit;
	Dwarf_Line *line = dwarf && dwarf_addrdie(dwarf, address, &unit)
				   ? dwarf_getsrc_die(&unit, address)
				   : NULL;
	const char *file = line ? dwarf_linesrc(line, NULL, NULL) : NULL;
	int number = 0;
	if (file && !dwarf_lineno(line, &number))
		buf_printf(out, " (%s:%d)", file, number);
	if (dwarf)
		dwarf_end(dwarf);
	if (elf)
		elf_end(elf);
}

static void examine_write(struct scan *scan, const struct sym_state *state,
			  const struct sym_instruction *in, const struct hook *hook)
{
	struct walk w = { .address = sym_register(state, ZYDIS_REGISTER_RDI),
			  .hook_size = hook->size };
	struct sym_value count = sym_register(state, ZYDIS_REGISTER_RSI);
	w.size = hook->size			      ? hook->size
		 : !count.unknown && count.offset > 0 ? (uint64_t)count.offset
						      : 1;
	struct sym_state after = *state;
	sym_after_call(&after, in->address, true);
	follow(scan, &w, after, in->address + in->base.length, 0);
	scan->report->write_hooks++;
	switch (judge(&w)) {
	case USUAL:
		break;
	case UNPROVED:
		scan->report->unproved++;
		break;
	case TOO_LATE:
		scan->report->too_late++;
		buf_str(&scan->report->warnings,
			"more than one hook lies between a write hook and its store at ");
		describe_place(scan, in->address, &scan->report->warnings);
		buf_char(&scan->report->warnings, '\n');
		break;
	case LATE: {
		uint64_t late = calls_late_form(&scan->calls, hook);
		if (late) {
			calls_redirect(&scan->calls, scan->bytes, in, late);
			scan->report->patched++;
		} else {
			scan->lacks_late_forms = true;
		}
	}
	}
}

static void examine_instruction(void *ctx, const struct sym_state *state,
				const struct sym_instruction *in)
{
	struct scan *scan = ctx;
	const struct hook *hook = calls_hook(&scan->calls, in);
	if (hook && hook->kind == HOOK_WRITE)
		examine_write(scan, state, in, hook);
}

static enum flow_call classify_call(void *ctx, const struct sym_instruction *in)
{
	const struct scan *scan = ctx;
	const struct hook *hook = calls_hook(&scan->calls, in);
	return !hook ? FLOW_FUNCTION : hook->kind == HOOK_WRITE ? FLOW_OF_INTEREST : FLOW_HOOK;
}

/* The GOT, which the dynamic linker fills once. */
static void find_constants(struct scan *scan)
{
	const struct image *img = scan->calls.img;
	for (size_t i = 1; i < img->sections.len; i++) {
		const Elf64_Shdr *s = &img->sections.at[i];
		if (!strcmp(image_section_name(img, i), ".got")) {
			scan->constant_from = s->sh_addr;
			scan->constant_to = s->sh_addr + s->sh_size;
		}
	}
}

int late_patch(const struct image *img, unsigned char *bytes, struct late_report *report,
	       struct err *err)
{
	struct scan scan = { .bytes = bytes, .report = report };
	memset(report, 0, sizeof(*report));
	int rc = calls_open(&scan.calls, img, err);
	if (rc)
		return rc;
	find_constants(&scan);
	struct flow_client client = {
		.ctx = &scan,
		.classify = classify_call,
		.each = examine_instruction,
		.decoder = &scan.calls.decoder,
		.constant_from = scan.constant_from,
		.constant_to = scan.constant_to,
	};
	for (size_t i = 1; i < img->sections.len; i++)
		if (calls_covers_section(&scan.calls, i))
			flow_section(&client, img, i);
	bool lacks = scan.lacks_late_forms;
	calls_close(&scan.calls);
	return lacks ? err_set(err, ERR_FORMAT, "the linked file has late stores but no late hooks")
		     : 0;
}

void late_report_release(struct late_report *report)
{
	buf_release(&report->warnings);
}
