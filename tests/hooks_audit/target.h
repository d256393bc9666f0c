/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The traced process: started stopped, stepped one instruction at a time or run to a breakpoint.
 *
 * Breakpoints stay where they are once set.  A step from an address with a breakpoint lifts it
 * for that step, so the process never executes the trap by accident and no breakpoint is ever
 * missed.
 */
#ifndef AUDIT_TARGET_H
#define AUDIT_TARGET_H

#include <errno.h>
#include <sys/personality.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>

#include "image.h"

struct breakpoint {
	uint64_t address;
	long word; /* what stood there */
};

struct target {
	pid_t pid;
	uint64_t bias; /* run-time minus link-time address of the executable */
	struct user_regs_struct regs;
	struct breakpoint *breakpoints;
	size_t breakpoint_count, breakpoint_cap;
	bool has_ended;
	int status; /* of waitpid, when it has ended */
};

static inline void target_read(const struct target *t, uint64_t address, void *to, size_t len)
{
	struct iovec local = { to, len }, remote = { (void *)(uintptr_t)address, len };
	if (process_vm_readv(t->pid, &local, 1, &remote, 1, 0) != (ssize_t)len)
		die("cannot read memory of the program", strerror(errno));
}

static inline uint64_t target_word(const struct target *t, uint64_t address)
{
	uint64_t word;
	target_read(t, address, &word, sizeof(word));
	return word;
}

static inline const struct breakpoint *target_breakpoint_at(const struct target *t,
							    uint64_t address)
{
	for (size_t i = 0; i < t->breakpoint_count; i++)
		if (t->breakpoints[i].address == address)
			return &t->breakpoints[i];
	return NULL;
}

static inline void target_poke(const struct target *t, uint64_t address, long word)
{
	if (ptrace(PTRACE_POKETEXT, t->pid, address, word))
		die("cannot write memory of the program", strerror(errno));
}

static inline long target_peek(const struct target *t, uint64_t address)
{
	errno = 0;
	long word = ptrace(PTRACE_PEEKTEXT, t->pid, address, 0);
	if (errno)
		die("cannot read code of the program", strerror(errno));
	return word;
}

static inline void target_break(struct target *t, uint64_t address)
{
	if (target_breakpoint_at(t, address))
		return;
	struct breakpoint *b = array_add((void **)&t->breakpoints, &t->breakpoint_count,
					 &t->breakpoint_cap, sizeof(*b));
	b->address = address;
	b->word = target_peek(t, address);
	target_poke(t, address, (b->word & ~0xffl) | 0xcc);
}

/*
 * Wait for the next stop; true if it is a trap, false if the program has ended.  Anything else is
 * a failure.
 */
static inline bool target_wait(struct target *t)
{
	if (waitpid(t->pid, &t->status, 0) != t->pid)
		die("cannot wait for the program", strerror(errno));
	if (!WIFSTOPPED(t->status)) {
		t->has_ended = true;
		return false;
	}
	if (ptrace(PTRACE_GETREGS, t->pid, 0, &t->regs))
		die("cannot read registers", strerror(errno));
	if (WSTOPSIG(t->status) != SIGTRAP) {
		fprintf(stderr, "audit: at %#llx:\n", (unsigned long long)(t->regs.rip - t->bias));
		die("the program got a signal", strsignal(WSTOPSIG(t->status)));
	}
	return true;
}

/* Execute one instruction. */
static inline bool target_step(struct target *t)
{
	uint64_t at = t->regs.rip;
	const struct breakpoint *b = target_breakpoint_at(t, at);
	/* A breakpoint nearby may share the word: only this byte changes. */
	if (b)
		target_poke(t, at, (target_peek(t, at) & ~0xffl) | (b->word & 0xff));
	if (ptrace(PTRACE_SINGLESTEP, t->pid, 0, 0))
		die("cannot step", strerror(errno));
	bool is_alive = target_wait(t);
	if (b && is_alive)
		target_poke(t, at, (target_peek(t, at) & ~0xffl) | 0xcc);
	return is_alive;
}

/* Run to the next breakpoint. */
static inline bool target_run(struct target *t)
{
	if (target_breakpoint_at(t, t->regs.rip) && !target_step(t))
		return false;
	if (target_breakpoint_at(t, t->regs.rip))
		return true;
	if (ptrace(PTRACE_CONT, t->pid, 0, 0))
		die("cannot continue", strerror(errno));
	if (!target_wait(t))
		return false;
	if (!target_breakpoint_at(t, t->regs.rip - 1))
		die("the program stopped where no breakpoint is", NULL);
	t->regs.rip--;
	if (ptrace(PTRACE_SETREGS, t->pid, 0, &t->regs))
		die("cannot write registers", strerror(errno));
	return true;
}

/* Where the executable was loaded: the kernel tells the program its entry point. */
static inline uint64_t target_find_bias(const struct target *t, const struct image *im)
{
	char path[64];
	uint64_t entry[2];
	snprintf(path, sizeof(path), "/proc/%d/auxv", t->pid);
	FILE *f = fopen(path, "re");
	if (!f)
		die("cannot open", path);
	do {
		if (fread(entry, sizeof(entry), 1, f) != 1)
			die("no entry point in", path);
	} while (entry[0] != AT_ENTRY);
	fclose(f);
	return entry[1] - im->header->e_entry;
}

static inline void target_start(struct target *t, const struct image *im, char *path)
{
	t->pid = fork();
	if (t->pid < 0)
		die("cannot fork", strerror(errno));
	if (!t->pid) {
		char *argv[] = { path, NULL };
		/* for readable reports only; nothing depends on it */
		personality(ADDR_NO_RANDOMIZE);
		ptrace(PTRACE_TRACEME, 0, 0, 0);
		execv(path, argv);
		_exit(127);
	}
	if (!target_wait(t))
		die("cannot start", path);
	ptrace(PTRACE_SETOPTIONS, t->pid, 0, PTRACE_O_EXITKILL);
	t->bias = target_find_bias(t, im);
}

/* The mapping that contains an address. */
static inline struct range target_mapping(const struct target *t, uint64_t address)
{
	char path[64], line[512];
	struct range found = { 0, 0 };
	snprintf(path, sizeof(path), "/proc/%d/maps", t->pid);
	FILE *f = fopen(path, "re");
	if (!f)
		die("cannot open", path);
	while (!found.end && fgets(line, sizeof(line), f)) {
		char *rest;
		uint64_t start = strtoull(line, &rest, 16), end = strtoull(rest + 1, NULL, 16);
		if (address >= start && address < end)
			found = (struct range){ start, end };
	}
	fclose(f);
	return found;
}

#endif
