/* SPDX-License-Identifier: Apache-2.0 */
/*
 * See place.h.  A walk needs no lock and may happen in the handler of a signal.  The rule of each
 * return address is found once and kept: a library calls malloc from few places.
 */
#include "run/place.h"

#include <dlfcn.h>
#include <link.h>
#include <sys/auxv.h>

#include "run/cfi.h"
#include "run/memory.h"
#include "run/thr.h"

#define LIBRARIES 256 /* with hooks; more are treated as if they had none */
#define FRAMES 48     /* that are walked */
#define KEPT 4096     /* rules, a power of two */
#define PROBES 8

struct code_range place_program, place_openmp;

/* Start and end of the OpenMP library's code, which defines it. */
extern const uintptr_t heddle_openmp_code[2] __attribute__((weak));

static struct code_range libraries[LIBRARIES];
static uint32_t library_count;

/* key 0: free.  The rule is stored after the key; until then its word is 0. */
static struct kept {
	uintptr_t key;
	uint64_t rule;
} * kept;

/* The section of the runtime's own code. */
extern const char __start_heddle_text[], __stop_heddle_text[];

/* glibc 2.35 and later; without it frames of libraries are not walked. */
extern __typeof__(_dl_find_object) _dl_find_object __attribute__((weak));

static bool find_module(uintptr_t pc, struct dl_find_object *found)
{
	return _dl_find_object && !_dl_find_object((void *)pc, found);
}

void place_begin(void)
{
	kept = run_map(KEPT * sizeof(*kept));
	const ElfW(Phdr) *list = (const void *)getauxval(AT_PHDR);
	uintptr_t base = 0, low = UINTPTR_MAX, high = 0;
	for (unsigned long i = 0, n = getauxval(AT_PHNUM); i < n; i++) {
		const ElfW(Phdr) *p = &list[i];
		if (p->p_type == PT_PHDR)
			base = (uintptr_t)list - p->p_vaddr;
		if (p->p_type != PT_LOAD)
			continue;
		low = p->p_vaddr < low ? p->p_vaddr : low;
		high = p->p_vaddr + p->p_memsz > high ? p->p_vaddr + p->p_memsz : high;
	}
	if (low < high)
		place_program = (struct code_range){ base + low, high - low };
	if (heddle_openmp_code)
		place_openmp = (struct code_range){ heddle_openmp_code[0],
						    heddle_openmp_code[1] - heddle_openmp_code[0] };
}

void place_add_module(uintptr_t pc)
{
	struct dl_find_object found;
	if (place_has_hooks(pc) || !find_module(pc, &found))
		return;
	struct code_range range = { (uintptr_t)found.dlfo_map_start,
				    (uintptr_t)found.dlfo_map_end -
					    (uintptr_t)found.dlfo_map_start };
	uint32_t n = library_count; /* the loader calls constructors one at a time */
	if (n == LIBRARIES)
		return;
	libraries[n] = range;
	__atomic_store_n(&library_count, n + 1, __ATOMIC_RELEASE);
}

bool place_is_in_library(uintptr_t pc)
{
	uint32_t n = __atomic_load_n(&library_count, __ATOMIC_ACQUIRE);
	for (uint32_t i = 0; i < n; i++)
		if (pc - libraries[i].start < libraries[i].size)
			return true;
	return false;
}

/* ---- rules ---- */

enum { KNOWN = 1, FROM_BP = 2, KEEPS_BP = 4, LOOKED_UP = 8 };

static uint64_t packed(const struct cfi_rule *r)
{
	return LOOKED_UP | (r->is_known ? KNOWN : 0u) | (r->from_bp ? FROM_BP : 0u) |
	       (r->keeps_bp ? KEEPS_BP : 0u) | (uint64_t)(uint16_t)r->saved_bp << 16 |
	       (uint64_t)(uint32_t)r->distance << 32;
}

static uint64_t look_up(uintptr_t pc)
{
	struct dl_find_object found;
	struct cfi_rule rule = { 0 };
	/* before the end of the call instruction: the next one may belong to another function */
	if (find_module(pc - 1, &found))
		rule = cfi_find(found.dlfo_eh_frame, pc - 1);
	return packed(&rule);
}

static uint64_t rule_of(uintptr_t pc)
{
	uint32_t hash = (uint32_t)((pc * 0x9e3779b97f4a7c15ull) >> 40);
	for (unsigned i = 0; kept && i < PROBES; i++) {
		struct kept *k = &kept[(hash + i) % KEPT];
		uintptr_t key = 0;
		if (__atomic_compare_exchange_n(&k->key, &key, pc, false, __ATOMIC_ACQ_REL,
						__ATOMIC_ACQUIRE))
			key = pc;
		if (key != pc)
			continue;
		uint64_t rule = __atomic_load_n(&k->rule, __ATOMIC_ACQUIRE);
		if (!rule) {
			rule = look_up(pc);
			__atomic_store_n(&k->rule, rule, __ATOMIC_RELEASE);
		}
		return rule;
	}
	return look_up(pc);
}

/* ---- the walk ---- */

static bool is_on_stack(uintptr_t at, uintptr_t low, uintptr_t high)
{
	return at >= low && at + sizeof(uintptr_t) <= high && !(at % sizeof(uintptr_t));
}

/* A frame on a stack that ends at `high`. */
struct unwound_frame {
	uintptr_t at, sp, bp, high;
};

/* To the caller; false: it cannot be found. */
static bool leave_frame(struct unwound_frame *f)
{
	uint64_t rule = rule_of(f->at);
	uintptr_t end =
		(rule & FROM_BP ? f->bp : f->sp) + (uintptr_t)(intptr_t)(int32_t)(rule >> 32);
	if (!(rule & KNOWN) || !is_on_stack(end - 8, f->sp, f->high))
		return false;
	int16_t saved = (int16_t)(rule >> 16);
	if (saved && !is_on_stack(end + (uintptr_t)(intptr_t)saved, f->sp, f->high))
		return false;
	if (saved)
		f->bp = *(const uintptr_t *)(end + (uintptr_t)(intptr_t)saved);
	else if (!(rule & KEEPS_BP))
		f->bp = 0;
	f->at = *(const uintptr_t *)(end - 8);
	f->sp = end;
	return true;
}

/* Not of the runtime, which calls libraries and is called by them. */
static bool is_programs(uintptr_t pc)
{
	uintptr_t own = (uintptr_t)__start_heddle_text, end = (uintptr_t)__stop_heddle_text;
	return place_has_hooks(pc) && pc - own >= end - own;
}

uintptr_t place_behind(uintptr_t pc, const uintptr_t *frame)
{
	const struct thr *t = run_self;
	struct unwound_frame f = { pc, (uintptr_t)(frame + 2), frame[0], 0 };
	if (!t || f.sp - t->stack.low >= t->stack.size)
		return pc;
	f.high = t->stack.low + t->stack.size;
	for (unsigned i = 0; i < FRAMES && !is_programs(f.at); i++)
		if (!leave_frame(&f))
			return pc;
	return is_programs(f.at) ? f.at : pc;
}

uintptr_t place_interrupted(const struct thr *t, const struct interrupted *at)
{
	struct dl_find_object found;
	/* As a return address: behind the first byte of the instruction. */
	struct unwound_frame f = { at->pc + 1, at->sp, at->bp, t->stack.low + t->stack.size };
	if (is_programs(f.at))
		return f.at;
	if (f.sp - t->stack.low >= t->stack.size)
		return 0;
	if (!find_module(at->pc, &found) && is_on_stack(f.sp, f.sp, f.high)) {
		/* A jump to nowhere: what called it is on the stack. */
		f.at = *(const uintptr_t *)f.sp;
		f.sp += sizeof(uintptr_t);
	}
	for (unsigned i = 0; i < FRAMES && !is_programs(f.at); i++)
		if (!leave_frame(&f))
			return 0;
	return is_programs(f.at) ? f.at : 0;
}
