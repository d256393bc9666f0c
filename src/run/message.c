/* SPDX-License-Identifier: Apache-2.0 */
/* Messages to the tool, put together in a buffer; see message.h. */
#include "run/message.h"

#include <link.h>
#include <sys/syscall.h>

#include "run/heap.h"
#include "run/history.h"
#include "run/memory.h"
#include "run/misuse.h"
#include "run/object.h"
#include "run/run.h"
#include "run/stamp.h"
#include "run/thread.h"
#include "run/tool.h"
#include "wire/run.h"

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
	char text[RUN_MESSAGE_MAX];
	unsigned len;
	struct module {
		uintptr_t start, end;
		char path[512];
		bool is_sent;
	} modules[MODULES];
	unsigned module_count;
} message;

/* ---- text ---- */

static void message_put(const char *s)
{
	while (*s && message.len < sizeof(message.text))
		message.text[message.len++] = *s++;
}

static void message_hex(uint64_t n)
{
	char digits[17];
	unsigned i = 16;
	digits[16] = 0;
	do {
		digits[--i] = "0123456789abcdef"[n & 15];
		n >>= 4;
	} while (n);
	message_put(" ");
	message_put(digits + i);
}

static void message_word(const char *s)
{
	message_put(" ");
	message_put(s);
}

static void message_line_end(void)
{
	message_put("\n");
}

static void message_send(void)
{
	if (message.len == sizeof(message.text))
		return; /* truncated: cannot be parsed */
	tool_send(message.text, message.len);
}

void message_hello(const char *how)
{
	message.len = 0;
	message_put("hello " RUN_VERSION);
	message_hex((uint64_t)run_syscall(SYS_getpid, 0, 0, 0, 0, 0, 0));
	message_word(how);
	message_put(" ");
	long n = run_syscall(SYS_readlink, (long)"/proc/self/exe",
			     (long)(message.text + message.len), PATH_SIZE, 0, 0, 0);
	message.len += n > 0 ? (unsigned)n : 0;
	message_line_end();
	message_send();
}

/* ---- modules ---- */

static int add_module(struct dl_phdr_info *info, size_t size, void *unused)
{
	(void)size, (void)unused;
	if (message.module_count == MODULES)
		return 1;
	struct module *m = &message.modules[message.module_count];
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
		long got = message.module_count
				   ? 0
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
	message.module_count++;
	return 0;
}

/* The module of an address, described first if it is new; -1: none. */
static int module_of(uintptr_t address)
{
	for (unsigned i = 0; i < message.module_count; i++) {
		struct module *m = &message.modules[i];
		if (address - m->start >= m->end - m->start)
			continue;
		if (!m->is_sent) {
			message_put("module");
			message_hex(i);
			message_hex(m->start);
			message_hex(m->end - m->start);
			message_word(m->path);
			message_line_end();
			m->is_sent = true;
		}
		return (int)i;
	}
	return -1;
}

void message_frames(const uintptr_t *pcs, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		int m = module_of(pcs[i]);
		if (m < 0)
			continue;
		message_put("at");
		message_hex((unsigned)m);
		message_hex(pcs[i] - message.modules[m].start);
		message_line_end();
	}
}

void message_stack(uint32_t stack)
{
	uintptr_t pcs[STACK_MAX];
	message_frames(pcs, stack_get(stack, pcs));
}

/* ---- parts of a finding ---- */

static bool is_known_thread(uint32_t uid)
{
	return uid < g_life_count && uid < LIVES;
}

void message_thread_name(uint32_t uid)
{
	bool is_known = is_known_thread(uid);
	message_put("thread");
	message_hex(uid);
	message_hex(is_known ? g_lives[uid].creator : 0);
	message_word(is_known ? thread_name_of(uid) : "");
	message_line_end();
}

/* And where it was created. */
void message_thread(uint32_t uid)
{
	message_thread_name(uid);
	if (is_known_thread(uid) && uid)
		message_stack(g_lives[uid].stack);
}

uint32_t message_uid_of(uint32_t slot, uint32_t epoch)
{
	const struct life *l = life_of(slot, epoch);
	return l ? (uint32_t)(l - g_lives) : LIVES;
}

void message_act(unsigned who, uint32_t uid, enum finding_act act, bool is_atomic,
		 uintptr_t address, unsigned size)
{
	message_put("act");
	message_hex(who);
	message_hex(uid);
	message_word(acts[act]);
	message_hex(is_atomic);
	message_hex(address);
	message_hex(size);
	message_line_end();
}

void message_lock(uint32_t lock, unsigned mode)
{
	module_of(g_objects[lock].address);
	message_put("lock");
	message_hex(g_objects[lock].address);
	message_hex(mode);
	message_word(object_kinds[g_objects[lock].kind]);
	message_line_end();
}

void message_memory(uintptr_t address)
{
	struct block b;
	int m = module_of(address);
	if (m >= 0) {
		message_put("data");
		message_hex((unsigned)m);
		message_hex(address - message.modules[m].start);
		message_line_end();
	} else if (heap_find(address, &b)) {
		message_put("block");
		message_hex(b.start);
		message_hex(b.size);
		message_hex(b.uid);
		message_hex(b.is_freed);
		message_line_end();
		message_stack(b.stack);
	}
}

void message_held(const struct thr *t)
{
	for (uint32_t i = 0; i < t->held_count; i++) {
		message_lock(t->held[i].lock, t->held[i].mode);
		message_stack(t->held[i].stack);
	}
}

void message_begin(enum finding_kind kind, enum run_status status, bool is_locked,
		   uintptr_t address, unsigned size)
{
	message.len = 0;
	message.module_count = 0;
	dl_iterate_phdr(add_module, NULL);
	message_put("found ");
	message_put(kinds[kind]);
	message_word(statuses[status]);
	message_hex(is_locked);
	message_hex(address);
	message_hex(size);
	message_hex((uint64_t)run_syscall(SYS_getpid, 0, 0, 0, 0, 0, 0));
	message_line_end();
}

void message_object(uint32_t kind)
{
	message_put("object");
	message_word(object_kinds[kind]);
	message_line_end();
}

void message_text(const char *text)
{
	message_put("text");
	message_word(text);
	message_line_end();
}

void message_wait(const struct thr *t)
{
	const struct thr *holder = misuse_awaited(t);
	message_put("wait");
	message_hex(t->wait.kind == OBJECT_THREAD ? holder ? holder->uid : RUN_NO_THREAD
						  : t->wait.object);
	message_word(object_kinds[t->wait.kind]);
	message_hex(holder ? holder->uid : RUN_NO_THREAD);
	message_line_end();
}

void message_more(unsigned threads)
{
	message_put("more");
	message_hex(threads);
	message_line_end();
}

unsigned message_length(void)
{
	return message.len;
}

void message_end(void)
{
	message_put("end\n");
	message_send();
}
