/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is loaded: the program, its libraries, and plugins that come and go.
 *
 * The tool is told of every module before the first event that names a place in it, and of the
 * end of every one before its addresses can be used again.  New modules are looked for
 *   - when control begins,
 *   - when an instrumented module is initialised: each of its object files has a constructor that
 *     calls
 *     __tsan_init before any other constructor of the file runs,
 *   - when a call comes from code that belongs to no known module (a library without hooks being
 *     initialised, or loaded by libc itself),
 *   - when dlopen and dlclose return.
 * Modules are told in the order in which the dynamic linker lists them, which is the order of
 * loading: the tool gives them canonical addresses in that order, so a trace does not depend on
 * where the kernel puts them.
 *
 * The dynamic linker must not be asked while another thread is inside it (in a constructor, say),
 * since it would wait for that thread's own lock; see libc_dl.c.
 */
#include "rt/chunk.h"
#include "rt/event.h"
#include "rt/hot.h"
#include "rt/mem.h"
#include "rt/module.h"
#include "rt/real.h"
#include "rt/rt.h"
#include "rt/shadow.h"
#include "rt/stack.h"
#include "rt/sync.h"
#include "rt/sys.h"
#include "rt/thread.h"
#include "wire/wire.h"

#include <sys/auxv.h>

#define MODULES 1024

/* in order of loading; the first is the program */
static RT_KEPT struct module modules[MODULES];
static RT_STATE unsigned module_count;

const struct module *module_find(uintptr_t pc)
{
	for (unsigned i = 0; i < module_count; i++)
		if (pc - modules[i].low < modules[i].high - modules[i].low)
			return &modules[i];
	return NULL;
}

/* The same for code that runs: its module is loaded, known or not. */
static const struct module *module_of(pc_t pc)
{
	const struct module *m = module_find(pc);
	if (unlikely(!m && module_count && loader_is_free())) {
		module_scan();
		m = module_find(pc);
	}
	return m;
}

bool rt_is_libc_code(uintptr_t pc)
{
	const struct module *m = module_of(pc);
	return m && !m->has_hooks;
}

bool module_is_loader(pc_t pc)
{
	const struct module *m = module_find(pc);
	return m && m->is_loader;
}

static uint64_t hash_name(const char *name)
{
	uint64_t h = 0xcbf29ce484222325ull;
	while (*name)
		h = (h ^ (unsigned char)*name++) * 0x100000001b3ull;
	return h;
}

static bool starts_with(const char *name, const char *start)
{
	while (*start && *name == *start) {
		name++;
		start++;
	}
	return !*start;
}

static const char *base_name(const char *path)
{
	const char *base = path;
	for (; *path; path++)
		if (*path == '/')
			base = path + 1;
	return base;
}

bool module_is_c_library(const char *path)
{
	static const char *const names[] = { "libc.so.",  "libm.so.",  "libpthread.so.",
					     "libdl.so.", "librt.so.", "ld-linux" };
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (starts_with(base_name(path), names[i]))
			return true;
	return false;
}

/* A module carries our hooks if its dynamic symbols mention them. */
static bool has_hooks(const struct dl_phdr_info *info)
{
	const char *strings = NULL;
	size_t size = 0;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		if (info->dlpi_phdr[i].p_type != PT_DYNAMIC)
			continue;
		for (const ElfW(Dyn) *d =
			     (const void *)(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr);
		     d->d_tag; d++) {
			if (d->d_tag == DT_STRTAB)
				strings = (const char *)d->d_un.d_ptr;
			else if (d->d_tag == DT_STRSZ)
				size = d->d_un.d_val;
		}
	}
	static const char mark[] = "__tsan_func_entry";
	for (size_t i = 0; strings && i + sizeof(mark) <= size; i++)
		if (strings[i] == '_' && !rt_memcmp(strings + i, mark, sizeof(mark)))
			return true;
	return false;
}

static struct module describe(const struct dl_phdr_info *info)
{
	struct module m = { .low = UINTPTR_MAX,
			    .name = hash_name(info->dlpi_name),
			    .is_loaded = true };
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *ph = &info->dlpi_phdr[i];
		if (ph->p_type != PT_LOAD)
			continue;
		uintptr_t start = info->dlpi_addr + ph->p_vaddr, end = start + ph->p_memsz;
		m.low = start < m.low ? start & ~0xfffull : m.low;
		m.high = end > m.high ? end : m.high;
		if (ph->p_flags & PF_X && !m.code_high) {
			m.code_low = start;
			m.code_high = end;
		}
	}
	return m;
}

static int mark_loaded(struct dl_phdr_info *info, size_t size, void *data)
{
	(void)size;
	(void)data;
	struct module m = describe(info);
	for (unsigned i = 0; i < module_count; i++)
		if (modules[i].low == m.low && modules[i].name == m.name)
			modules[i].is_loaded = true;
	return 0;
}

/* The tool looks the file up when the program may have changed its directory. */
static const char *absolute_name(const char *name, bool is_program, char *path, size_t size)
{
	if (is_program) {
		long n = sys3(SYS_readlink, "/proc/thread-self/exe", path, size - 1);
		path[n > 0 ? n : 0] = 0;
		return path;
	}
	if (name[0] == '/')
		return name;
	long n = sys3(SYS_getcwd, path, size, 0);
	size_t length = rt_strlen(name) + 1;
	if (n <= 1 || (size_t)n + length > size)
		return name;
	path[n - 1] = '/';
	rt_memcpy(path + n, name, length);
	return path;
}

extern char __start_heddle_text[], __stop_heddle_text[], __start_heddle_slots[],
	__stop_heddle_slots[];
extern char __start_heddle_state[], __stop_heddle_state[], __start_heddle_kept[],
	__stop_heddle_kept[];

void module_outside_runtime(uintptr_t start, uintptr_t end,
			    void (*each)(uintptr_t start, uintptr_t end, void *arg), void *arg)
{
	const uintptr_t own[4][2] = {
		{ (uintptr_t)__start_heddle_text, (uintptr_t)__stop_heddle_text },
		{ (uintptr_t)__start_heddle_slots, (uintptr_t)__stop_heddle_slots },
		{ (uintptr_t)__start_heddle_state, (uintptr_t)__stop_heddle_state },
		{ (uintptr_t)__start_heddle_kept, (uintptr_t)__stop_heddle_kept }
	};
	for (int i = 0; i < 4; i++) {
		if (own[i][0] < start || own[i][1] > end)
			continue;
		module_outside_runtime(start, own[i][0], each, arg);
		module_outside_runtime(own[i][1], end, each, arg);
		return;
	}
	if (end > start)
		each(start, end, arg);
}

static void add(const struct dl_phdr_info *info, bool is_program)
{
	char buffer[4096];
	const char *path = absolute_name(info->dlpi_name, is_program, buffer, sizeof(buffer));
	struct module m = describe(info);
	m.has_hooks = is_program || has_hooks(info);
	m.is_loader = !is_program && info->dlpi_addr == getauxval(AT_BASE);
	if (module_count == MODULES)
		rt_fatal("more than 1024 shared libraries at once");
	modules[module_count++] = m;
	ev_module(m.low, m.high - m.low, m.has_hooks ? WIRE_MODULE_INSTRUMENTED : 0, path);
	if (m.has_hooks)
		shadow_add_module(info, g.cur->context.fs);
}

static int add_if_new(struct dl_phdr_info *info, size_t size, void *data)
{
	(void)size;
	bool *is_first = data, is_program = *is_first;
	*is_first = false;
	if (rt_streq(info->dlpi_name, "linux-vdso.so.1"))
		return 0;
	struct module m = describe(info);
	if (m.high && !module_find(m.low))
		add(info, is_program);
	return 0;
}

static void forget(unsigned i)
{
	const struct module *m = &modules[i];
	sync_forget(m->low, m->high - m->low, g.hook_pc);
	shadow_drop_module(m->low, m->high);
	stack_forget(m->low, m->high);
	chunk_forget_sites(m->low, m->high);
	ev_module_gone(m->low);
	module_count--;
	for (; i < module_count; i++)
		modules[i] = modules[i + 1];
}

void module_scan(void)
{
	bool is_first = true;
	g.internal++;
	for (unsigned i = 0; i < module_count; i++)
		modules[i].is_loaded = false;
	real_dl_iterate_phdr(mark_loaded, NULL);
	for (unsigned i = module_count; i-- > 0;)
		if (!modules[i].is_loaded)
			forget(i);
	real_dl_iterate_phdr(add_if_new, &is_first);
	g.internal--;
}

RT_EXPORT void __tsan_init(void);

RT_EXPORT void __tsan_init(void)
{
	if (g.active && !g.internal && !module_find(PC) && loader_is_free())
		module_scan();
}
