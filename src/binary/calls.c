/* SPDX-License-Identifier: Apache-2.0 */
/* Calls of hooks in linked files; see calls.h. */
#include "binary/calls.h"

#include <string.h>

#include "base/hash.h"

static uint64_t name_key(const char *name)
{
	return hash_bytes(0, name, strlen(name));
}

static void add_name(struct calls *c, uint64_t address, const char *name, bool is_callable)
{
	if (!strncmp(name, HOOK_LATE_PREFIX, strlen(HOOK_LATE_PREFIX)) && is_callable)
		*map_put(&c->late_by_name, name_key(name), NULL) = address;
	struct hook h = hook_by_name(name);
	if (h.kind == HOOK_NONE)
		return;
	vec_push(&c->hooks, h);
	*map_put(&c->by_address, address, NULL) = c->hooks.len;
}

static void add_slot(void *ctx, uint64_t slot, const char *symbol)
{
	add_name(ctx, slot, symbol, false);
}

static bool is_stub_section(const struct image *img, size_t section)
{
	return !strncmp(image_section_name(img, section), ".plt", 4);
}

/* PLT stubs jump through a slot; a stub counts as the function that it leads to. */
static void add_stubs(struct calls *c, size_t section)
{
	struct code code;
	struct sym_instruction in;
	if (!code_of_section(&code, &c->decoder, c->img, section))
		return;
	uint64_t start = code.start;
	for (uint64_t at = start; at < code.end && code_decode(&code, at, code.end, &in);) {
		if (in.base.mnemonic == ZYDIS_MNEMONIC_ENDBR64)
			start = at;
		const struct hook *hook =
			in.base.mnemonic == ZYDIS_MNEMONIC_JMP ? calls_hook(c, &in) : NULL;
		if (hook)
			add_name(c, start, hook->name, true);
		at += in.base.length;
		if (in.base.mnemonic != ZYDIS_MNEMONIC_ENDBR64)
			start = at;
	}
}

int calls_open(struct calls *c, const struct image *img, struct err *err)
{
	memset(c, 0, sizeof(*c));
	c->img = img;
	if (!ZYAN_SUCCESS(ZydisDecoderInit(&c->decoder, ZYDIS_MACHINE_MODE_LONG_64,
					   ZYDIS_STACK_WIDTH_64)))
		return err_set(err, ERR_INTERNAL, "the instruction decoder cannot be initialised");
	for (size_t i = 0; i < img->symbols.len; i++) {
		const struct image_symbol *s = &img->symbols.at[i];
		if (s->is_defined && s->type == STT_FUNC)
			add_name(c, s->address, s->name, true);
	}
	image_slots(img, add_slot, c);
	for (size_t i = 1; i < img->sections.len; i++)
		if (is_stub_section(img, i))
			add_stubs(c, i);
	return 0;
}

void calls_close(struct calls *c)
{
	vec_release(&c->hooks);
	map_release(&c->by_address);
	map_release(&c->late_by_name);
}

const struct hook *calls_hook(const struct calls *c, const struct sym_instruction *in)
{
	uint64_t target = code_target(in);
	uint64_t *index = target ? map_get(&c->by_address, target) : NULL;
	return index ? &c->hooks.at[*index - 1] : NULL;
}

uint64_t calls_late_form(const struct calls *c, const struct hook *hook)
{
	uint64_t *late = map_get(&c->late_by_name, name_key(hook->late));
	return late ? *late : 0;
}

bool calls_covers_section(const struct calls *c, size_t section)
{
	const Elf64_Shdr *s = &c->img->sections.at[section];
	return c->hooks.len && (s->sh_flags & SHF_EXECINSTR) && !is_stub_section(c->img, section) &&
	       !image_is_runtime(c->img, section) && image_at(c->img, s->sh_addr, s->sh_size, NULL);
}

/*
 * Encodings: a direct call is e8 rel32, with a 67 prefix where the linker relaxed a call through
 * memory.  A call through memory is ff 15 disp32, as long as the relaxed form.  A direct jump
 * ends in rel32, too.
 */
void calls_redirect(const struct calls *c, unsigned char *bytes, const struct sym_instruction *in,
		    uint64_t target)
{
	unsigned char *p =
		bytes + (image_at(c->img, in->address, in->base.length, NULL) - c->img->bytes);
	if (in->base.length == 6 && p[0] == 0xff) {
		p[0] = 0x67;
		p[1] = code_is_call(in) ? 0xe8 : 0xe9;
	}
	int32_t distance = (int32_t)(target - (in->address + in->base.length));
	memcpy(p + in->base.length - 4, &distance, 4);
}
