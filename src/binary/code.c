/* SPDX-License-Identifier: Apache-2.0 */
/* Functions and blocks in machine code; see code.h. */
#include "binary/code.h"

#include <stdlib.h>

bool code_of_section(struct code *c, const ZydisDecoder *decoder, const struct image *img,
		     size_t section)
{
	const Elf64_Shdr *s = &img->sections.at[section];
	*c = (struct code){ decoder, image_section_bytes(img, section), s->sh_addr,
			    s->sh_addr + s->sh_size };
	return c->bytes != NULL;
}

bool code_decode(const struct code *c, uint64_t at, uint64_t end, struct sym_instruction *in)
{
	in->address = at;
	return ZYAN_SUCCESS(ZydisDecoderDecodeFull(c->decoder, c->bytes + (at - c->start), end - at,
						   &in->base, in->operands));
}

static bool is_padding(const struct sym_instruction *in)
{
	return in->base.meta.category == ZYDIS_CATEGORY_NOP ||
	       in->base.meta.category == ZYDIS_CATEGORY_WIDENOP ||
	       in->base.mnemonic == ZYDIS_MNEMONIC_NOP ||
	       in->base.mnemonic == ZYDIS_MNEMONIC_INT3 ||
	       (in->base.mnemonic == ZYDIS_MNEMONIC_XCHG &&
		in->operands[0].type == ZYDIS_OPERAND_TYPE_REGISTER &&
		in->operands[1].type == ZYDIS_OPERAND_TYPE_REGISTER &&
		in->operands[0].reg.value == in->operands[1].reg.value);
}

static int compare_addresses(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
	return x < y ? -1 : x > y;
}

void addresses_sort(struct addresses *a)
{
	if (!a->list.len)
		return;
	qsort(a->list.at, a->list.len, sizeof(uint64_t), compare_addresses);
	size_t kept = 1;
	for (size_t i = 1; i < a->list.len; i++)
		if (a->list.at[i] != a->list.at[kept - 1])
			a->list.at[kept++] = a->list.at[i];
	a->list.len = kept;
}

void code_functions(const struct code *c, const struct image *img, struct addresses *starts)
{
	struct sym_instruction in;
	vec_push(&starts->list, c->start);
	for (size_t i = 0; i < img->symbols.len; i++) {
		const struct image_symbol *sym = &img->symbols.at[i];
		if (sym->is_defined && sym->type == STT_FUNC && sym->address >= c->start &&
		    sym->address < c->end)
			vec_push(&starts->list, sym->address);
	}
	for (uint64_t at = c->start; at < c->end; at += in.base.length) {
		if (!code_decode(c, at, c->end, &in))
			in.base.length = 1;
		else if (code_is_call(&in) && code_is_direct(&in) && code_target(&in) >= c->start &&
			 code_target(&in) < c->end)
			vec_push(&starts->list, code_target(&in));
	}
	addresses_sort(starts);
}

bool code_blocks(const struct code *c, uint64_t start, uint64_t end, struct addresses *starts)
{
	struct sym_instruction in;
	bool is_whole = true;
	vec_push(&starts->list, start);
	for (uint64_t at = start; at < end;) {
		if (!code_decode(c, at, end, &in)) {
			vec_push(&starts->list, ++at);
			is_whole = false;
			continue;
		}
		at += in.base.length;
		/* Padding after an unconditional jump is never executed. */
		for (struct sym_instruction pad; code_never_falls_through(&in) && at < end;
		     at += pad.base.length)
			if (!code_decode(c, at, end, &pad) || !is_padding(&pad))
				break;
		if ((code_is_conditional(&in) || code_never_falls_through(&in)) && at < end)
			vec_push(&starts->list, at);
		if (code_is_jump(&in) && code_is_direct(&in) && code_target(&in) >= start &&
		    code_target(&in) < end)
			vec_push(&starts->list, code_target(&in));
	}
	addresses_sort(starts);
	return is_whole;
}
