/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The dynamic linker's interface: plugins.
 *
 * Its lock.  The dynamic linker holds a lock of its own while constructors and destructors of a
 * library run, and while dl_iterate_phdr calls back.  That lock knows real threads, and all
 * fibers are one, or rather each has the name of its donor: a fiber that waits for it would put
 * the whole program to sleep.  So the lock is modelled: every call takes `dynamic_linker` first,
 * a recursive mutex like any other, with events, and the real one is free when it is reached.
 * Constructors can thus be preempted, and a constructor that waits for a thread which waits for
 * the dynamic linker is found as the deadlock that it is.
 *
 * Whose call it is.  The dynamic linker looks at the return address: RTLD_NEXT, the search path
 * and the namespace depend on the module that calls.  The call is made to return to an
 * instruction `ret` inside that module (call_as.S), which comes back to us.
 *
 * What is found.  A lookup that ends in libc at a function which the runtime provides gives the
 * runtime's, even if the program has a function of that name in front of it: a wrapper of the
 * program's own around pthread_mutex_lock goes on to the modelled one, as it went on to libc's.
 */
#include <dlfcn.h>

#include "rt/libc_wrap.h"
#include "rt/mem.h"
#include "rt/module.h"
#include "rt/sched.h"
#include "rt/sync.h"
#include "wire/wire.h"

/* call_as.S */
void *call_as(void *function, const void *ret, void *a, const void *b, const void *c);

/* Made by the build, see the Makefile: functions of the runtime by name, sorted. */
struct export
{
	int32_t name;	 /* distance of the string from this field */
	uint32_t offset; /* of the function from the start of the runtime's code */
};
extern const struct export __start_heddle_exports[], __stop_heddle_exports[];
extern char __start_heddle_text[];

static RT_STATE char dynamic_linker;

/* ---- its lock ---- */

bool loader_is_free(void)
{
	const struct sync *s = sync_find((uintptr_t)&dynamic_linker);
	return !s || !s->owner || s->owner == g.cur;
}

static bool loader_enter(pc_t pc)
{
	if (!rt_wrapper(pc))
		return false;
	struct sync *s = sync_get((uintptr_t)&dynamic_linker, SYNC_MUTEX);
	if (s->owner == g.cur)
		ev_sync(EV_ACQUIRE, s->addr, s->mode, ++s->depth, 0, pc);
	else
		sync_wait_lock(s, NO_DEADLINE, pc);
	return true;
}

static void loader_leave(bool entered, pc_t pc)
{
	struct sync *s = entered ? sync_find((uintptr_t)&dynamic_linker) : NULL;
	if (!s)
		return;
	rt_enter(pc);
	if (s->depth > 1)
		ev_sync(EV_RELEASE, s->addr, s->mode, --s->depth, 0, pc);
	else
		sync_drop(s, pc);
}

void loader_wait(pc_t pc)
{
	loader_leave(loader_enter(pc), pc);
}

/* ---- whose call it is ---- */

struct code_search {
	uintptr_t pc;
	uintptr_t low, high;
};

static int find_code(struct dl_phdr_info *info, size_t size, void *data)
{
	(void)size;
	struct code_search *s = data;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *ph = &info->dlpi_phdr[i];
		uintptr_t start = info->dlpi_addr + ph->p_vaddr;
		if (ph->p_type != PT_LOAD || !(ph->p_flags & PF_X) || s->pc - start >= ph->p_memsz)
			continue;
		s->low = start;
		s->high = start + ph->p_memsz;
		return 1;
	}
	return 0;
}

#define RET 0xc3

/* An instruction `ret` in the module of a caller; NULL if that is the program, from where all our
 * calls come. */
static const void *ret_of(pc_t pc)
{
	struct code_search own = { .pc = (uintptr_t)ret_of }, s = { .pc = pc };
	g.internal++;
	bool found =
		REAL_FN(dl_iterate_phdr)(find_code, &s) && real_dl_iterate_phdr(find_code, &own);
	g.internal--;
	if (!found || s.low == own.low)
		return NULL;
	for (uintptr_t p = s.low; p < s.high; p++)
		if (*(const unsigned char *)p == RET)
			return (const void *)p;
	return NULL;
}

static void *as_caller(pc_t pc, void *function, void *a, const void *b, const void *c)
{
	const void *ret = ret_of(pc);
	if (ret)
		return call_as(function, ret, a, b, c);
	return ((void *(*)(void *, const void *, const void *))function)(a, b, c);
}

/* ---- what is found ---- */

static int compare(const char *a, const char *b)
{
	while (*a && *a == *b) {
		a++;
		b++;
	}
	return (unsigned char)*a - (unsigned char)*b;
}

void *runtime_function(const char *name)
{
	const struct export *low = __start_heddle_exports, *high = __stop_heddle_exports;
	while (low < high) {
		const struct export *middle = low + (high - low) / 2;
		int order = compare(name, (const char *)&middle->name + middle->name);
		if (!order)
			return __start_heddle_text + middle->offset;
		if (order < 0)
			high = middle;
		else
			low = middle + 1;
	}
	return NULL;
}

static bool is_of_libc(const void *p)
{
	Dl_info info;
	g.internal++;
	bool found = REAL_FN(dladdr)(p, &info) && info.dli_fname;
	g.internal--;
	return found && module_is_c_library(info.dli_fname);
}

static void *ours_for(void *found, const char *name)
{
	void *own = g.session && !g.internal && found ? runtime_function(name) : NULL;
	return own && is_of_libc(found) ? own : found;
}

static bool read_name(const char *name, pc_t pc)
{
	bool entered = loader_enter(pc);
	if (entered && name && !rt_is_libc_code(pc))
		libc_read_string(name, pc);
	return entered;
}

RT_EXPORT void *dlsym(void *handle, const char *name)
{
	bool entered = read_name(name, PC);
	void *p = ours_for(as_caller(PC, (void *)REAL_FN(dlsym), handle, name, NULL), name);
	loader_leave(entered, PC);
	return p;
}

RT_EXPORT void *dlvsym(void *handle, const char *name, const char *version)
{
	bool entered = read_name(name, PC);
	void *p = ours_for(as_caller(PC, (void *)REAL_FN(dlvsym), handle, name, version), name);
	loader_leave(entered, PC);
	return p;
}

/* ---- loading and unloading ---- */

RT_EXPORT void *dlopen(const char *path, int flags)
{
	bool entered = read_name(path, PC);
	if (entered && flags & RTLD_DEEPBIND) {
		/* The library would find libc's functions before those of the runtime. */
		ev_note("dlopen is called with RTLD_DEEPBIND, which has no effect under heddle");
		flags &= ~RTLD_DEEPBIND;
	}
	void *handle = as_caller(PC, (void *)REAL_FN(dlopen), (void *)path,
				 (const void *)(long)flags, NULL);
	if (entered)
		module_scan();
	loader_leave(entered, PC);
	return handle;
}

RT_EXPORT int dlclose(void *handle)
{
	bool entered = loader_enter(PC);
	int rc = REAL_FN(dlclose)(handle);
	if (entered)
		module_scan();
	loader_leave(entered, PC);
	return rc;
}

/* ---- questions ---- */

RT_EXPORT int dl_iterate_phdr(int (*callback)(struct dl_phdr_info *, size_t, void *), void *data)
{
	bool entered = loader_enter(PC);
	int rc = REAL_FN(dl_iterate_phdr)(callback, data);
	loader_leave(entered, PC);
	return rc;
}

RT_EXPORT int dladdr(const void *address, Dl_info *info)
{
	bool entered = loader_enter(PC);
	int rc = REAL_FN(dladdr)(address, info);
	if (entered && rc)
		rt_libc_wrote(info, sizeof(*info), PC);
	loader_leave(entered, PC);
	return rc;
}

RT_EXPORT int dladdr1(const void *address, Dl_info *info, void **extra, int flags)
{
	bool entered = loader_enter(PC);
	int rc = REAL_FN(dladdr1)(address, info, extra, flags);
	if (entered && rc) {
		rt_libc_wrote(info, sizeof(*info), PC);
		if (flags == RTLD_DL_LINKMAP || flags == RTLD_DL_SYMENT)
			rt_libc_wrote(extra, sizeof(*extra), PC);
	}
	loader_leave(entered, PC);
	return rc;
}

static size_t answer_size(int request, const void *answer)
{
	switch (request) {
	case RTLD_DI_LINKMAP:
	case RTLD_DI_TLS_DATA:
		return sizeof(void *);
	case RTLD_DI_LMID:
		return sizeof(Lmid_t);
	case RTLD_DI_TLS_MODID:
		return sizeof(size_t);
	case RTLD_DI_ORIGIN:
		return rt_strlen(answer) + 1;
	case RTLD_DI_SERINFOSIZE:
		return sizeof(Dl_serinfo);
	case RTLD_DI_SERINFO:
		return ((const Dl_serinfo *)answer)->dls_size;
	}
	return 0;
}

RT_EXPORT int dlinfo(void *handle, int request, void *answer)
{
	bool entered = loader_enter(PC);
	int rc = REAL_FN(dlinfo)(handle, request, answer);
	if (entered && !rc)
		rt_libc_wrote(answer, answer_size(request, answer), PC);
	loader_leave(entered, PC);
	return rc;
}

/* What went wrong last in this thread: libc keeps it in the thread's own block. */
RT_EXPORT char *dlerror(void)
{
	if (!libc_enter(PC))
		return REAL_FN(dlerror)();
	char *text = LIBC_CALL(REAL_FN(dlerror)());
	if (text)
		libc_wrote_if_changed(text, rt_strlen(text) + 1, PC);
	return text;
}
