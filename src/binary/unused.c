/* SPDX-License-Identifier: Apache-2.0 */
/*
 * See unused.h.  Where values go is followed by taint.h.  Behind the hook comes the load: everything that is
 * loaded from other memory than the frame before the next call counts as the value.  A way that has no load
 * in front of the next call is not understood.
 */
#include "binary/unused.h"

#include "binary/taint.h"

static void look_at_function(struct taint_walk *w, uint64_t start, struct addresses *out)
{
	struct sym_instruction in;
	if (!taint_begin(w, start) || !w->frame_is_private)
		return;
	for (uint64_t at = start; at < w->end && code_decode(w->code, at, w->end, &in);
	     at += in.base.length) {
		const struct hook *hook = code_is_call(&in) ? calls_hook(w->calls, &in) : NULL;
		if (hook && hook->kind == HOOK_READ &&
		    taint_goes_nowhere(w, &(struct taint){ .where = at + in.base.length }))
			vec_push(&out->list, at + in.base.length);
	}
}

static void look_at_section(const struct calls *calls, size_t section, struct addresses *out)
{
	struct code code;
	struct addresses starts = {0};
	if (!calls_are_in(calls, section) || !code_of_section(&code, &calls->decoder, calls->img, section))
		return;
	code_functions(&code, calls->img, &starts);
	for (size_t k = 0; k < starts.list.len; k++) {
		struct taint_walk w = { .calls = calls, .code = &code,
				  .end = k + 1 < starts.list.len ? starts.list.at[k + 1] : code.end };
		look_at_function(&w, starts.list.at[k], out);
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
	bool is_understood = !taint_has_odd_ways(&calls);
	for (size_t i = 1; i < img->sections.len && is_understood; i++)
		look_at_section(&calls, i, out);
	calls_close(&calls);
	addresses_sort(out);
	return 0;
}
