/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A program that was built for exploration is linked with the other runtime (src/rt), which is
 * inert in a process that is not controlled.  `heddle run` preloads this runtime as a library, and
 * the functions here replace the other one: a jump to our function is written at the start of
 * every function that both export.  This happens before main, in one thread.
 *
 * The other runtime's functions are aligned to 16 bytes, so there is room for the jump.
 */
#include <elf.h>
#include <link.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "run/memory.h"
#include "run/start.h"

#define JUMP_SIZE 13
#define LATE_PREFIX "__heddle_late_"
#define HOOK_PREFIX "__tsan_"

/* The dynamic symbols of this library. */
struct own {
	const ElfW(Sym) * symbols;
	const char *names;
	uint32_t count;
	uintptr_t base;
};

static void find_tables(const struct link_map *map, struct own *own)
{
	own->base = map->l_addr;
	for (const ElfW(Dyn) *d = map->l_ld; d->d_tag != DT_NULL; d++) {
		if (d->d_tag == DT_SYMTAB)
			own->symbols = (const ElfW(Sym) *)d->d_un.d_ptr;
		else if (d->d_tag == DT_STRTAB)
			own->names = (const char *)d->d_un.d_ptr;
		else if (d->d_tag == DT_HASH)
			own->count = ((const uint32_t *)d->d_un.d_ptr)[1];
	}
}

static bool is_in_program(const void *at)
{
	Dl_info where, program;
	void *marker = dlsym(RTLD_DEFAULT, "heddle_runtime_version");
	return dladdr(at, &where) && dladdr(marker, &program) &&
	       where.dli_fbase == program.dli_fbase;
}

static void redirect(void *from, uintptr_t to)
{
	unsigned char *at = from,
		      jump[JUMP_SIZE] = { 0x49, 0xbb, 0, 0, 0, 0, 0, 0, 0, 0, 0x41, 0xff, 0xe3 };
	run_copy(jump + 2, &to, sizeof(to)); /* movabs to, %r11; jmp *%r11 */
	uintptr_t page = (uintptr_t)at & ~4095ull,
		  end = ((uintptr_t)at + JUMP_SIZE + 4095) & ~4095ull;
	if (run_syscall(SYS_mprotect, (long)page, (long)(end - page),
			PROT_READ | PROT_WRITE | PROT_EXEC, 0, 0, 0))
		return;
	run_copy(at, jump, sizeof(jump));
	run_syscall(SYS_mprotect, (long)page, (long)(end - page), PROT_READ | PROT_EXEC, 0, 0, 0);
}

static void redirect_name(const char *name, uintptr_t to)
{
	void *theirs = dlsym(RTLD_DEFAULT, name);
	if (theirs && (uintptr_t)theirs != to && is_in_program(theirs))
		redirect(theirs, to);
}

/* Otherwise it is part of the executable. */
bool takeover_is_preloaded(void)
{
	Dl_info own, program;
	return dladdr((void *)takeover, &own) && dladdr((void *)getauxval(AT_PHDR), &program) &&
	       own.dli_fbase != program.dli_fbase;
}

bool takeover_needed(void)
{
	return dlsym(RTLD_DEFAULT, "heddle_runtime_version");
}

void takeover(void)
{
	struct own own = { .count = 0 };
	Dl_info info;
	struct link_map *map;
	if (!dladdr1((void *)takeover, &info, (void **)&map, RTLD_DL_LINKMAP))
		return;
	find_tables(map, &own);
	for (uint32_t i = 1; own.symbols && own.names && i < own.count; i++) {
		const ElfW(Sym) *s = &own.symbols[i];
		if (s->st_shndx == SHN_UNDEF || ELF64_ST_TYPE(s->st_info) != STT_FUNC)
			continue;
		const char *name = own.names + s->st_name;
		uintptr_t to = own.base + s->st_value;
		redirect_name(name, to);
		/* The late form of a write hook (src/rt) is the same function here. */
		static const char hook[] = HOOK_PREFIX;
		unsigned n = 0;
		while (hook[n] && name[n] == hook[n])
			n++;
		if (hook[n])
			continue;
		char late[64] = LATE_PREFIX;
		unsigned len = sizeof(LATE_PREFIX) - 1;
		while (name[n] && len < sizeof(late) - 1)
			late[len++] = name[n++];
		late[len] = 0;
		redirect_name(late, to);
	}
}
