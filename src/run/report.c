/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From a pair of actions to a message for the tool; see report.h.
 *
 * A pair of places is reported once.  The older stack is reconstructed at most TRIES times for a
 * younger place and kind: otherwise a racy loop would spend most of its time on that.
 */
#include "run/report.h"

#include <link.h>
#include <sys/syscall.h>

#include "run/found.h"
#include "run/guard.h"
#include "run/heap.h"
#include "run/history.h"
#include "run/memory.h"
#include "run/object.h"
#include "run/run.h"
#include "run/stamp.h"
#include "run/thr.h"
#include "run/thread.h"
#include "run/tool.h"
#include "wire/run.h"

#define SEEN 8192
#define TRIES 16
#define MODULES 128
#define PATH_SIZE 4096

static const char *const kinds[] = {
#define FINDING_KIND(NAME, name) [FINDING_##NAME] = name,
#include "wire/finding.def"
};
static const char *const statuses[] = {
#define RUN_STATUS(NAME, word, STATUS) [RUN_##NAME] = word,
#include "wire/finding.def"
};
static const char *const acts[] = {
#define FINDING_ACT(NAME, word, infinitive, does) [ACT_##NAME] = word,
#include "wire/finding.def"
};
static const char *const object_kinds[] = {
#define RUN_OBJECT(word, MODE) word,
#include "wire/finding.def"
};

static struct {
	uint32_t lock;
	uint32_t reported;
	uint64_t seen[SEEN];
	uint8_t tries[SEEN];
	char text[RUN_MESSAGE_MAX];
	unsigned len;
	struct module {
		uintptr_t start, end;
		char path[512];
		bool is_sent;
	} modules[MODULES];
	unsigned module_count;
} r;

/* ---- text ---- */

static void put(const char *s)
{
	while (*s && r.len < sizeof(r.text))
		r.text[r.len++] = *s++;
}

static void put_hex(uint64_t n)
{
	char digits[17];
	unsigned i = 16;
	digits[16] = 0;
	do {
		digits[--i] = "0123456789abcdef"[n & 15];
		n >>= 4;
	} while (n);
	put(" ");
	put(digits + i);
}

static void put_word(const char *s)
{
	put(" ");
	put(s);
}

static void line_end(void)
{
	put("\n");
}

static void send_message(void)
{
	if (r.len == sizeof(r.text))
		return; /* truncated: cannot be parsed */
	tool_send(r.text, r.len);
}

void report_hello(const char *how)
{
	run_lock(&r.lock);
	r.len = 0;
	put("hello " RUN_VERSION);
	put_hex((uint64_t)run_syscall(SYS_getpid, 0, 0, 0, 0, 0, 0));
	put_word(how);
	put(" ");
	long n = run_syscall(SYS_readlink, (long)"/proc/self/exe", (long)(r.text + r.len),
			     PATH_SIZE, 0, 0, 0);
	r.len += n > 0 ? (unsigned)n : 0;
	line_end();
	send_message();
	run_unlock(&r.lock);
}

/* ---- modules ---- */

static int add_module(struct dl_phdr_info *info, size_t size, void *unused)
{
	(void)size, (void)unused;
	if (r.module_count == MODULES)
		return 1;
	struct module *m = &r.modules[r.module_count];
	uintptr_t low = UINTPTR_MAX, high = 0;
	for (unsigned i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];
		if (p->p_type != PT_LOAD)
			continue;
		uintptr_t from = info->dlpi_addr + p->p_vaddr, to = from + p->p_memsz;
		low = from < low ? from : low;
		high = to > high ? to : high;
	}
	if (low >= high)
		return 0;
	const char *name = info->dlpi_name;
	unsigned n = 0;
	if (!name || !*name) {
		/* Of the thread: the main thread may have called pthread_exit. */
		static const char own[] = "/proc/thread-self/exe";
		long got = r.module_count ? 0
					  : run_syscall(SYS_readlink, (long)own, (long)m->path,
							sizeof(m->path) - 1, 0, 0, 0);
		n = got > 0 ? (unsigned)got : 0;
	} else {
		while (name[n] && n < sizeof(m->path) - 1) {
			m->path[n] = name[n];
			n++;
		}
	}
	m->path[n] = 0;
	m->start = low & ~0xfffull;
	m->end = high;
	m->is_sent = false;
	r.module_count++;
	return 0;
}

/* The module of an address, described first if it is new; -1: none. */
static int module_of(uintptr_t address)
{
	for (unsigned i = 0; i < r.module_count; i++) {
		struct module *m = &r.modules[i];
		if (address - m->start >= m->end - m->start)
			continue;
		if (!m->is_sent) {
			put("module");
			put_hex(i);
			put_hex(m->start);
			put_hex(m->end - m->start);
			put_word(m->path);
			line_end();
			m->is_sent = true;
		}
		return (int)i;
	}
	return -1;
}

static void put_frames(const uintptr_t *pcs, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		int m = module_of(pcs[i]);
		if (m < 0)
			continue;
		put("at");
		put_hex((unsigned)m);
		put_hex(pcs[i] - r.modules[m].start);
		line_end();
	}
}

static void put_stack(uint32_t stack)
{
	uintptr_t pcs[STACK_MAX];
	put_frames(pcs, stack_get(stack, pcs));
}

/* ---- parts of a finding ---- */

static void put_thread(uint32_t uid)
{
	put("thread");
	put_hex(uid);
	bool is_known = uid < g_life_count && uid < LIVES;
	put_hex(is_known ? g_lives[uid].creator : 0);
	put_word(is_known ? thread_name_of(uid) : "");
	line_end();
	if (is_known && uid)
		put_stack(g_lives[uid].stack);
}

static uint32_t uid_of(uint32_t slot, uint32_t epoch)
{
	const struct life *l = life_of(slot, epoch);
	return l ? (uint32_t)(l - g_lives) : LIVES;
}

static void put_act(unsigned who, uint32_t uid, enum finding_act act, bool is_atomic,
		    uintptr_t address, unsigned size)
{
	put("act");
	put_hex(who);
	put_hex(uid);
	put_word(acts[act]);
	put_hex(is_atomic);
	put_hex(address);
	put_hex(size);
	line_end();
}

static void put_lock(uint32_t lock, unsigned mode)
{
	module_of(g_objects[lock].address);
	put("lock");
	put_hex(g_objects[lock].address);
	put_hex(mode);
	put_word(object_kinds[g_objects[lock].kind]);
	line_end();
}

static void put_memory(uintptr_t address)
{
	struct block b;
	int m = module_of(address);
	if (m >= 0) {
		put("data");
		put_hex((unsigned)m);
		put_hex(address - r.modules[m].start);
		line_end();
	} else if (heap_find(address, &b)) {
		put("block");
		put_hex(b.start);
		put_hex(b.size);
		put_hex(b.uid);
		put_hex(b.is_freed);
		line_end();
		put_stack(b.stack);
	}
}

/* True for a new key, and up to `tries` times more; false if the table is full. */
static bool is_new(uint64_t key, unsigned tries)
{
	key = (key | 1) * 0x9e3779b97f4a7c15ull;
	for (unsigned i = 0; i < SEEN; i++) {
		unsigned at = (unsigned)((key >> 40) + i) % SEEN;
		if (!r.seen[at]) {
			r.seen[at] = key;
			return true;
		}
		if (r.seen[at] == key)
			return r.tries[at] < tries && ++r.tries[at] <= tries;
	}
	return false;
}

static void put_held(const struct thr *t)
{
	for (uint32_t i = 0; i < t->held_count; i++) {
		put_lock(t->held[i].lock, t->held[i].mode);
		put_stack(t->held[i].stack);
	}
}

static void begin_found(enum finding_kind kind, enum run_status status, bool is_locked,
			uintptr_t address, unsigned size)
{
	r.len = 0;
	r.module_count = 0;
	dl_iterate_phdr(add_module, NULL);
	put("found ");
	put(kinds[kind]);
	put_word(statuses[status]);
	put_hex(is_locked);
	put_hex(address);
	put_hex(size);
	put_hex((uint64_t)run_syscall(SYS_getpid, 0, 0, 0, 0, 0, 0));
	line_end();
}

static void put_object(uint32_t kind)
{
	put("object");
	put_word(object_kinds[kind]);
	line_end();
}

static void put_found(const struct found *f, const uintptr_t *new, unsigned new_count,
		      const uintptr_t *old, unsigned old_count)
{
	begin_found(f->kind, f->status, f->is_locked, f->address, f->size);
	if (f->object)
		put_object(f->object);
	uint32_t uid = f->thr->uid;
	put_act(0, uid, f->act, f->is_atomic, f->address, f->size);
	put_frames(new, new_count);
	put_held(f->thr);
	uint32_t past_uid = uid_of(f->past.slot, f->past.epoch);
	if (f->past.epoch) {
		put_act(1, past_uid, f->past.act, f->past.is_atomic, f->past.address, f->past.size);
		put_frames(old, old_count);
		for (const struct stamp *s = STAMP(f->past.stamp); stamp_lock(s);
		     s = STAMP(s->outer))
			put_lock(stamp_lock(s), stamp_mode(s));
	}
	put_thread(uid);
	if (f->past.epoch && past_uid != uid)
		put_thread(past_uid);
	if (f->kind != FINDING_CLOSE_IN_USE && f->kind != FINDING_DOUBLE_CLOSE)
		put_memory(f->past.address && f->kind == FINDING_RACE ? f->past.address
								      : f->address);
	put("end\n");
}

/* Sent, and counted. */
static void sent(void)
{
	send_message();
	r.reported++;
	if (run_state.options.halts)
		run_syscall(SYS_exit_group, run_state.options.exit_code, 0, 0, 0, 0, 0);
}

void report_cycle(struct thr *const *threads, unsigned n)
{
	struct thr *self = run_self;
	if (!tool_is_set() || r.reported >= run_state.options.limit)
		return;
	run_lock(&r.lock);
	run_self = NULL; /* as in run_found */
	begin_found(FINDING_DEADLOCK, RUN_HAPPENED, false, threads[0]->wait.lock, 0);
	put_object(threads[0]->wait.kind);
	for (unsigned i = 0; i < n; i++) {
		put_act(i, threads[i]->uid, ACT_WAIT, false, threads[i]->wait.lock, 0);
		put_stack(threads[i]->wait.stack);
		put_held(threads[i]);
	}
	for (unsigned i = 0; i < n; i++)
		put_thread(threads[i]->uid);
	put("end\n");
	sent();
	run_self = self;
	run_unlock(&r.lock);
}

void run_found(const struct found *f)
{
	uintptr_t new[STACK_MAX], old[STACK_MAX];
	struct thr *self = run_self;
	if (!tool_is_set() || r.reported >= run_state.options.limit ||
	    (f->kind == FINDING_RACE && is_benign(f->address, f->size)))
		return;
	unsigned new_count = stack_get(f->stack, new);
	run_lock(&r.lock);
	bool is_wanted = is_new((uint64_t)f->kind << 56 ^ (uint64_t)f->past.act << 52 ^
					(new_count ? new[0] : f->address),
				TRIES);
	unsigned old_count = is_wanted ? history_restore(&f->past, old) : 0;
	uint64_t pair = (new_count ? new[0] : 0) * 31 + (old_count ? old[0] : 0);
	if (is_wanted && is_new(pair ^ (uint64_t)f->kind << 60 ^ 1ull << 59, 0)) {
		run_self = NULL; /* dl_iterate_phdr may lock and compare strings */
		put_found(f, new, new_count, old, old_count);
		sent();
		run_self = self;
	}
	run_unlock(&r.lock);
}
