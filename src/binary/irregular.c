/* SPDX-License-Identifier: Apache-2.0 */
/* Finds exception landing pads and calls of setjmp() in a program; see irregular.h. */
#include "binary/irregular.h"

#include <string.h>

static void add_slot(void *ctx, uint64_t slot, const char *symbol)
{
	if (strstr(symbol, "setjmp") || strstr(symbol, "getcontext"))
		map_put(ctx, slot, NULL);
}

/* A PLT stub that jumps through a slot in `functions` is added to them. */
static void add_stubs(const struct calls *calls, size_t section, struct map *functions)
{
	struct code code;
	struct sym_instruction in;
	if (!code_of_section(&code, &calls->decoder, calls->img, section))
		return;
	uint64_t start = code.start;
	for (uint64_t at = start; at < code.end && code_decode(&code, at, code.end, &in);) {
		bool is_start = in.base.mnemonic == ZYDIS_MNEMONIC_ENDBR64;
		if (is_start)
			start = at;
		if (code_is_jump(&in) && map_get(functions, code_target(&in)))
			map_put(functions, start, NULL);
		at += in.base.length;
		if (!is_start)
			start = at;
	}
}

static bool branches_to(const struct code *code, const struct map *functions)
{
	struct sym_instruction in;
	for (uint64_t at = code->start; at < code->end; at += in.base.length) {
		if (!code_decode(code, at, code->end, &in))
			in.base.length = 1;
		else if ((code_is_call(&in) || code_is_jump(&in)) && code_target(&in) &&
			 map_get(functions, code_target(&in)))
			return true;
	}
	return false;
}

bool irregular_control_flow(const struct calls *calls)
{
	const struct image *img = calls->img;
	struct map functions = { 0 };
	bool has = false;
	image_slots(img, add_slot, &functions);
	for (size_t i = 1; i < img->sections.len; i++)
		if (!strncmp(image_section_name(img, i), ".plt", 4))
			add_stubs(calls, i, &functions);
	for (size_t i = 1; i < img->sections.len && !has; i++) {
		struct code code;
		has = !strcmp(image_section_name(img, i), ".gcc_except_table") ||
		      (calls_covers_section(calls, i) &&
		       code_of_section(&code, &calls->decoder, img, i) &&
		       branches_to(&code, &functions));
	}
	map_release(&functions);
	return has;
}
