/* SPDX-License-Identifier: Apache-2.0 */
/*
 * See unseen.h.
 *
 * An instrumented function that accesses memory which may be shared calls a hook.  So a function
 * that calls no hook is reported if one of its instructions accesses memory other than through
 * the stack or frame pointer.  Accesses to constants and to tables of the dynamic linker at fixed
 * addresses do not count.  (A function that only reads constants through a pointer is reported
 * although it is harmless.)
 *
 * In instrumented code every atomic operation is a call.  So a lock prefix, an exchange with
 * memory, a system call or a random number of the processor comes from inline assembly.  A read of
 * the time stamp counter does too, but the runtime sees it (rt/processor.c).  Other
 * inline assembly in instrumented functions is not detected here.  Its writes are detected when
 * the program runs.
 */
#include "binary/unseen.h"

#include <Zydis/Zydis.h>
#include <string.h>

#include "base/map.h"
#include "binary/hooks.h"

struct code_reader {
	const struct image *img;
	ZydisDecoder decoder;
	ZydisDecoder brief; /* without operands; twice as fast */
	struct map hooks;   /* addresses of hooks, and of slots with their addresses */
};

struct instruction {
	ZydisDecodedInstruction base;
	ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
	uint64_t address;
};

/* Functions of the C start files, which are in every program. */
static bool is_of_start_files(const char *name)
{
	static const char *const names[] = { "_start",
					     "_init",
					     "_fini",
					     "deregister_tm_clones",
					     "register_tm_clones",
					     "__do_global_dtors_aux",
					     "frame_dummy",
					     "_dl_relocate_static_pie",
					     "__libc_csu_init",
					     "__libc_csu_fini" };
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (!strcmp(name, names[i]))
			return true;
	return false;
}

/* Hooks of accesses.  Uninstrumented code may still call branch hooks, and with clang the entry
 * hook. */
static bool is_hook(const char *name)
{
	return (!strncmp(name, "__tsan_", 7) && strncmp(name, "__tsan_func_", 12)) ||
	       !strncmp(name, HOOK_LATE_PREFIX, strlen(HOOK_LATE_PREFIX));
}

static void add_slot(void *ctx, uint64_t slot, const char *symbol)
{
	struct code_reader *r = ctx;
	if (is_hook(symbol))
		map_put(&r->hooks, slot, NULL);
}

static size_t section_at(const struct image *img, uint64_t address)
{
	for (size_t i = 1; i < img->sections.len; i++) {
		const Elf64_Shdr *s = &img->sections.at[i];
		if (s->sh_flags & SHF_ALLOC && address >= s->sh_addr &&
		    address - s->sh_addr < s->sh_size)
			return i;
	}
	return 0;
}

/*
 * Whether a fixed address belongs to a variable, which may be shared; constants and address
 * tables are not.
 */
static bool is_variable(const struct image *img, uint64_t address)
{
	size_t section = section_at(img, address);
	if (!section || !(img->sections.at[section].sh_flags & SHF_WRITE) ||
	    img->sections.at[section].sh_flags & SHF_TLS)
		return false;
	const char *name = image_section_name(img, section);
	return strncmp(name, ".got", 4) && strcmp(name, ".data.rel.ro") &&
	       strcmp(name, ".init_array") && strcmp(name, ".fini_array") &&
	       strcmp(name, ".dynamic");
}

static bool touches_memory(const struct code_reader *r, const struct instruction *in)
{
	if (in->base.meta.category == ZYDIS_CATEGORY_CALL ||
	    in->base.meta.category == ZYDIS_CATEGORY_UNCOND_BR ||
	    in->base.meta.category == ZYDIS_CATEGORY_NOP ||
	    in->base.meta.category == ZYDIS_CATEGORY_WIDENOP)
		return false;
	for (unsigned i = 0; i < in->base.operand_count; i++) {
		const ZydisDecodedOperand *o = &in->operands[i];
		if (o->type != ZYDIS_OPERAND_TYPE_MEMORY || o->mem.type != ZYDIS_MEMOP_TYPE_MEM ||
		    !o->actions || o->mem.segment == ZYDIS_REGISTER_FS)
			continue;
		ZyanU64 address;
		switch (o->mem.base) {
		case ZYDIS_REGISTER_RSP:
		case ZYDIS_REGISTER_RBP:
			continue;
		case ZYDIS_REGISTER_RIP:
		case ZYDIS_REGISTER_NONE:
			if (!ZYAN_SUCCESS(ZydisCalcAbsoluteAddress(&in->base, o, in->address,
								   &address)) ||
			    !is_variable(r->img, address))
				continue;
			break;
		default:
			break;
		}
		return true;
	}
	return false;
}

static bool calls_hook(const struct code_reader *r, const struct instruction *in)
{
	if (in->base.meta.category != ZYDIS_CATEGORY_CALL &&
	    in->base.meta.category != ZYDIS_CATEGORY_UNCOND_BR)
		return false;
	ZyanU64 target;
	if (!ZYAN_SUCCESS(
		    ZydisCalcAbsoluteAddress(&in->base, &in->operands[0], in->address, &target)))
		return false;
	return map_get(&r->hooks, target) != NULL;
}

static bool has_lock(const ZydisDecodedInstruction *in)
{
	for (unsigned i = 0; i < in->raw.prefix_count; i++)
		if (in->raw.prefixes[i].value == 0xf0)
			return true;
	return false;
}

/* Works on instructions that were decoded without operands: an exchange with memory has ModRM.mod
 * != 3. */
static bool is_assembler(const ZydisDecodedInstruction *in)
{
	switch (in->mnemonic) {
	case ZYDIS_MNEMONIC_RDRAND:
	case ZYDIS_MNEMONIC_RDSEED:
	case ZYDIS_MNEMONIC_CPUID:
	case ZYDIS_MNEMONIC_SYSCALL:
		return true;
	case ZYDIS_MNEMONIC_XCHG:
		return (in->opcode == 0x86 || in->opcode == 0x87) && in->raw.modrm.mod != 3;
	default:
		return has_lock(in);
	}
}

static bool is_random(const ZydisDecodedInstruction *in)
{
	return in->mnemonic == ZYDIS_MNEMONIC_RDRAND || in->mnemonic == ZYDIS_MNEMONIC_RDSEED;
}

static void analyse_function(const struct code_reader *r, const struct image_symbol *s,
			     struct unseen *u)
{
	size_t available;
	const unsigned char *code = image_at(r->img, s->address, s->size, &available);
	if (!code)
		return;
	bool touches = false, has_hooks = false, has_assembler = false;
	struct instruction in;
	for (uint64_t at = 0; at < s->size; at += in.base.length) {
		/* Operands matter only until the first hook is found. */
		bool is_full = !has_hooks;
		in.address = s->address + at;
		if (!ZYAN_SUCCESS(
			    is_full ? ZydisDecoderDecodeFull(&r->decoder, code + at, s->size - at,
							     &in.base, in.operands)
				    : ZydisDecoderDecodeInstruction(&r->brief, NULL, code + at,
								    s->size - at, &in.base))) {
			in.base.length = 1;
			continue;
		}
		has_hooks = has_hooks || calls_hook(r, &in);
		touches = touches || (is_full && touches_memory(r, &in));
		if (is_random(&in.base) && !words_contain(&u->random, s->name))
			words_add(&u->random, s->name);
		if (is_assembler(&in.base)) {
			vec_push(&u->assembler, in.address + in.base.length);
			has_assembler = true;
		}
	}
	/* A function with assembly is in the other list. */
	if (touches && !has_hooks && !has_assembler && !words_contain(&u->functions, s->name))
		words_add(&u->functions, s->name);
}

/* Optimisation levels: both compilers record their command lines in this section. */
static void collect_levels(const struct image *img, struct unseen *u)
{
	for (size_t i = 1; i < img->sections.len; i++) {
		const unsigned char *bytes = image_section_bytes(img, i);
		size_t size = img->sections.at[i].sh_size;
		if (!bytes || strcmp(image_section_name(img, i), ".GCC.command.line"))
			continue;
		bool has_level = false;
		for (size_t at = 0, length; at < size; at += length + 1) {
			length = 0;
			while (at + length < size && bytes[at + length] &&
			       bytes[at + length] != ' ')
				length++;
			bool is_level = length >= 2 && length <= 6 && !memcmp(bytes + at, "-O", 2);
			has_level |= is_level;
			bool is_end = at + length >= size || !bytes[at + length];
			char level[8] = "-O0";
			if (is_level)
				memcpy(level, bytes + at, length), level[length] = 0;
			if ((is_level || (is_end && length && !has_level)) &&
			    !words_contain(&u->levels, level))
				words_add(&u->levels, level);
			if (is_end)
				has_level = false;
		}
	}
}

void unseen_collect(const struct image *img, struct unseen *u)
{
	struct code_reader r = { .img = img };
	if (!ZYAN_SUCCESS(
		    ZydisDecoderInit(&r.decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64)))
		return;
	r.brief = r.decoder;
	ZydisDecoderEnableMode(&r.brief, ZYDIS_DECODER_MODE_MINIMAL, ZYAN_TRUE);
	for (size_t i = 0; i < img->symbols.len; i++)
		if (img->symbols.at[i].is_defined && is_hook(img->symbols.at[i].name))
			map_put(&r.hooks, img->symbols.at[i].address, NULL);
	image_slots(img, add_slot, &r);
	struct map seen = { 0 }; /* a function may be in both tables */
	for (size_t i = 0; i < img->symbols.len; i++) {
		const struct image_symbol *s = &img->symbols.at[i];
		bool is_new;
		if (s->type != STT_FUNC || !s->is_defined || !s->size || is_of_start_files(s->name))
			continue;
		size_t section = section_at(img, s->address);
		if (!section || !(img->sections.at[section].sh_flags & SHF_EXECINSTR) ||
		    image_is_runtime(img, section))
			continue;
		map_put(&seen, s->address, &is_new);
		if (is_new)
			analyse_function(&r, s, u);
	}
	collect_levels(img, u);
	map_release(&seen);
	map_release(&r.hooks);
}

void unseen_release(struct unseen *u)
{
	words_release(&u->functions);
	words_release(&u->random);
	words_release(&u->levels);
	vec_release(&u->assembler);
}
