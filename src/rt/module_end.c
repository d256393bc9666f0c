/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Destructors of modules at the end of the process, as far as an explorer needs them.
 *
 * The dynamic linker runs them once: it remembers in its own memory which modules it has
 * finished, and that is not put back when the program begins again in place.  So in executions
 * for an explorer they are run here, in the linker's way: the program first, then its libraries
 * in the order in which they were loaded; of each the functions of its array from the last to the
 * first, then the single one.  They belong to the program, and what they print belongs to its
 * outcome.  libc and the linker have none that anybody could notice.
 */
#include "rt/mem.h"
#include "rt/module_end.h"

#include <link.h>

#define DESTRUCTORS_MAX 1024

struct destructors {
	void (*all[DESTRUCTORS_MAX])(void);
	unsigned count;
};

static void add(struct destructors *d, uintptr_t function)
{
	if (function && d->count < DESTRUCTORS_MAX)
		d->all[d->count++] = (void (*)(void))function;
}

static void add_module(struct destructors *d, uintptr_t base, const ElfW(Dyn) * dynamic)
{
	const uintptr_t *array = NULL;
	size_t size = 0;
	uintptr_t single = 0;
	for (; dynamic->d_tag != DT_NULL; dynamic++) {
		if (dynamic->d_tag == DT_FINI_ARRAY)
			array = (const uintptr_t *)(base + dynamic->d_un.d_ptr);
		else if (dynamic->d_tag == DT_FINI_ARRAYSZ)
			size = dynamic->d_un.d_val;
		else if (dynamic->d_tag == DT_FINI)
			single = base + dynamic->d_un.d_ptr;
	}
	for (size_t i = array ? size / sizeof(*array) : 0; i-- > 0;)
		add(d, array[i]);
	add(d, single);
}

static bool is_of_libc(const char *path)
{
	const char *name = path;
	for (; *path; path++)
		if (*path == '/')
			name = path + 1;
	return rt_streq(name, "libc.so.6") || rt_streq(name, "ld-linux-x86-64.so.2") ||
	       rt_streq(name, "linux-vdso.so.1");
}

/* The linker's list for debuggers: to ask for it by dl_iterate_phdr() takes the linker's lock,
 * which the snapshot of its memory may show as held. */
static const struct link_map *first_module(void)
{
	for (const ElfW(Dyn) *d = _DYNAMIC; d->d_tag != DT_NULL; d++)
		if (d->d_tag == DT_DEBUG)
			return ((const struct r_debug *)d->d_un.d_ptr)->r_map;
	return NULL;
}

void modules_end(void)
{
	struct destructors d = { .count = 0 };
	for (const struct link_map *m = first_module(); m; m = m->l_next)
		if (!is_of_libc(m->l_name))
			add_module(&d, m->l_addr, m->l_ld);
	for (unsigned i = 0; i < d.count; i++)
		d.all[i]();
}
