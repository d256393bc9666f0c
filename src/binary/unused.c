/* SPDX-License-Identifier: Apache-2.0 */
/*
 * See unused.h.  The value of a read is followed by taint.h.  The load comes after the hook:
 * everything loaded from memory outside of the frame before the next call counts as the value.
 * If a path has no such load, the read counts as used.
 */
#include "binary/unused.h"

#include "binary/irregular.h"
#include "binary/taint.h"

static void analyse_function(struct taint_walk *w, uint64_t start, struct addresses *out)
{
	struct sym_instruction in;
	if (!taint_begin(w, start) || !w->frame_is_private)
		return;
	for (uint64_t at = start; at < w->end && code_decode(w->code, at, w->end, &in);
	     at += in.base.length) {
		const struct hook *hook = code_is_call(&in) ? calls_hook(w->calls, &in) : NULL;
		if (hook && hook->kind == HOOK_READ &&
		    taint_is_unused(w, &(struct taint){ .where = at + in.base.length }))
			vec_push(&out->list, at + in.base.length);
	}
}

static void analyse_section(const struct calls *calls, size_t section, struct addresses *out)
{
	struct code code;
	struct addresses starts = { 0 };
	if (!calls_covers_section(calls, section) ||
	    !code_of_section(&code, &calls->decoder, calls->img, section))
		return;
	code_functions(&code, calls->img, &starts);
	for (size_t k = 0; k < starts.list.len; k++) {
		struct taint_walk w = { .calls = calls,
					.code = &code,
					.end = k + 1 < starts.list.len ? starts.list.at[k + 1]
								       : code.end };
		analyse_function(&w, starts.list.at[k], out);
		taint_end(&w);
	}
	vec_release(&starts.list);
}

int unused_reads(const struct image *img, struct addresses *out, struct err *err)
{
	struct calls calls;
	int rc = calls_open(&calls, img, err);
	if (rc)
		return rc;
	bool is_analysable = !irregular_control_flow(&calls);
	for (size_t i = 1; i < img->sections.len && is_analysable; i++)
		analyse_section(&calls, i, out);
	calls_close(&calls);
	addresses_sort(out);
	return 0;
}
