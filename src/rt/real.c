/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Resolution of libc's own functions; see real.h.
 *
 * dlsym itself is one of those that are interposed, so it is found by hand: in the hash tables of
 * the modules that the dynamic linker lists for debuggers.
 */
#include <link.h>

#include "rt/cxx.h"
#include "rt/hot.h"
#include "rt/mem.h"
#include "rt/real.h"
#include "rt/rt.h"
#include "rt/sys.h"

#define REAL(name) RT_KEPT __typeof__(name) *real_##name;
#include "rt/real.def"
#include "rt/real_libc.def"
#undef REAL

/* The layout that DT_GNU_HASH points to; filter, buckets and chains follow. */
struct gnu_hash {
	uint32_t bucket_count, first_symbol, filter_words, filter_shift;
	uint64_t filter[];
};

static uint32_t hash_of(const char *name)
{
	uint32_t h = 5381;
	while (*name)
		h = h * 33 + (unsigned char)*name++;
	return h;
}

static void *look_up(const struct link_map *module, const char *name)
{
	const struct gnu_hash *table = NULL;
	const ElfW(Sym) *symbols = NULL;
	const char *strings = NULL;
	for (const ElfW(Dyn) *d = module->l_ld; d->d_tag != DT_NULL; d++) {
		if (d->d_tag == DT_GNU_HASH)
			table = (const void *)d->d_un.d_ptr;
		else if (d->d_tag == DT_SYMTAB)
			symbols = (const void *)d->d_un.d_ptr;
		else if (d->d_tag == DT_STRTAB)
			strings = (const void *)d->d_un.d_ptr;
	}
	/* In the kernel's own module these are not addresses but offsets. */
	if (!table || !symbols || !strings || (uintptr_t)table < module->l_addr)
		return NULL;
	const uint32_t *buckets = (const uint32_t *)(table->filter + table->filter_words);
	const uint32_t *chain = buckets + table->bucket_count - table->first_symbol;
	uint32_t hash = hash_of(name), i = buckets[hash % table->bucket_count];
	for (; i >= table->first_symbol; i++) {
		if ((chain[i] | 1) == (hash | 1) && rt_streq(strings + symbols[i].st_name, name) &&
		    symbols[i].st_shndx)
			return (void *)(module->l_addr + symbols[i].st_value);
		if (chain[i] & 1)
			break;
	}
	return NULL;
}

static void *find_behind_program(const char *name)
{
	const struct r_debug *debug = NULL;
	for (const ElfW(Dyn) *d = _DYNAMIC; d->d_tag != DT_NULL; d++)
		if (d->d_tag == DT_DEBUG)
			debug = (const void *)d->d_un.d_ptr;
	void *found = NULL;
	for (const struct link_map *m = debug ? debug->r_map->l_next : NULL; m && !found;
	     m = m->l_next)
		found = look_up(m, name);
	return found;
}

static void *find_linkers(const char *name)
{
	void *found = find_behind_program(name);
	if (!found)
		rt_fatal("the dynamic linker's functions are not there");
	return found;
}

#define REAL(name) RT_KEPT __typeof__(name) *real_##name;
#include "rt/real_cxx.def"
#undef REAL

void real_resolve_cxx(void)
{
	g.internal++;
#define REAL(name) real_##name = (__typeof__(name) *)find_behind_program(#name);
#include "rt/real_cxx.def"
#undef REAL
	g.internal--;
}

void real_resolve(void)
{
	g.internal++;
	real_dlsym = (__typeof__(dlsym) *)find_linkers("dlsym");
#define REAL(name) real_##name = (__typeof__(name) *)real_dlsym(RTLD_NEXT, #name);
#include "rt/real.def"
#include "rt/real_libc.def"
#undef REAL
	/* Two symbol versions exist; the old one has another layout of the object. */
#define VERSIONED(name) \
	real_##name = (__typeof__(name) *)real_dlvsym(RTLD_NEXT, #name, "GLIBC_2.3.2");
	VERSIONED(pthread_cond_init)
	VERSIONED(pthread_cond_destroy)
	VERSIONED(pthread_cond_wait)
	VERSIONED(pthread_cond_timedwait)
	VERSIONED(pthread_cond_signal)
	VERSIONED(pthread_cond_broadcast)
#undef VERSIONED
	g.internal--;
}

/*
 * Our wrappers exist in every program, also those of functions whose library the program does not
 * name (a configure test that finds sincos without -lm): then we do.
 */
void *real_find(const char *name, void **slot)
{
	static const char *const libraries[] = { "libm.so.6", "libcrypt.so.1", "libresolv.so.2" };
	real_resolve();
	g.internal++;
	for (unsigned i = 0; !*slot && i < sizeof(libraries) / sizeof(*libraries); i++) {
		void *library = real_dlopen(libraries[i], RTLD_LAZY);
		*slot = library ? real_dlsym(library, name) : NULL;
	}
	g.internal--;
	if (!*slot) {
		sys3(SYS_write, 2, name, rt_strlen(name));
		rt_fatal(": no loaded library has this function");
	}
	return *slot;
}
