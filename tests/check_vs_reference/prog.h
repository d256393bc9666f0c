/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The form of small concurrent programs from which everything here starts: a list of instructions
 * for each thread, thread 0 is main.  It prints and parses, so that a program that shows a fault
 * can be kept as a file; it is interpreted (machine.h) and translated to C (emit.c).  doc:
 * tests/check_vs_reference/README.md.
 *
 * What repeats is a single instruction with a prefix, or a loop of instructions that only look
 * (OP_AGAIN). All other jumps lead forward.  So every program ends, or waits.
 */
#ifndef CHECK_PROG_H
#define CHECK_PROG_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum {
	THREADS_MAX = 5,
	INSNS_MAX = 32, /* of one thread */
	REGS = 8,
	FOLDED = 4, /* registers that a thread hands to who joins it */
	PREGS = 2,
	MUTEXES = 4, /* m0, m1 normal, m2 recursive, m3 error-checking */
	RWLOCKS = 2, /* w0 lets readers first, w1 writers */
	SPINS = 1,
	CONDS = 2,
	SEMS = 2,
	BARRIERS = 1,
	ONCES = 1,
	GLOBAL_BYTES = 32, /* the upper half only for copies */
	STACK_BYTES = 8,   /* of main, shared */
	BLOCK_BYTES = 8,
	BLOCKS = 2, /* that a thread can allocate */
	PVARS = 3,
	PIPES = 2,
	PROMISES = 2,
	COPY_BYTES = 16, /* at most, in one copy */
	SIGNALS = 2,	 /* z0 ends a wait for a semaphore, z1 does not (SA_RESTART) */
	HANDLER_MAX = 3, /* instructions of a handler */
};

enum mutex_kind { MUTEX_NORMAL, MUTEX_RECURSIVE, MUTEX_CHECKING };
static inline enum mutex_kind mutex_kind(unsigned m)
{
	return m < 2 ? MUTEX_NORMAL : m == 2 ? MUTEX_RECURSIVE : MUTEX_CHECKING;
}

static inline bool rwlock_lets_writers_first(unsigned w)
{
	return w == 1;
}

enum op {
#define OP(NAME, name, operands) OP_##NAME,
#include "ops.def"
#undef OP
	OPS
};
extern const char *const op_names[OPS], *const op_operands[OPS];

/* What the program does with the stream of standard output before anything else. */
enum stdio { STDIO_AS_IT_IS, STDIO_FULL, STDIO_LINE, STDIO_NONE, STDIOS };

enum order { ORDER_PLAIN, ORDER_RLX, ORDER_ACQ, ORDER_REL, ORDER_ACQ_REL, ORDER_SC, ORDERS };

enum space {
	SPACE_GLOBAL,  /* at a fixed offset */
	SPACE_INDEXED, /* element `reg` modulo `count` of the globals as an array */
	SPACE_STACK,
	SPACE_POINTER, /* at an offset from a pointer register */
};
struct loc {
	uint8_t space, offset, size, reg, count;
};

struct value {
	bool is_reg;
	uint64_t number; /* or the register's */
};

enum compare { CMP_EQ, CMP_NE, CMP_LT, CMP_GE, CMPS };
struct cond {
	uint8_t reg, cmp;
	uint64_t number;
};

enum prefix {
	PREFIX_NONE,
	PREFIX_AWAIT, /* again until the condition holds */
	PREFIX_RETRY, /* likewise, at most `times` times */
	PREFIX_ONCE,  /* as the routine of pthread_once */
};

struct insn {
	uint8_t op, prefix, times; /* PREFIX_ONCE: times is the control */
	uint8_t reg, preg, order, obj, mutex, skip, regs;
	struct loc loc, from; /* from: what is copied, of the size of loc */
	struct value val;
	uint64_t imm;
	struct cond cond; /* of the instruction, or of its prefix */
};

struct prog {
	uint8_t threads;
	uint8_t len[THREADS_MAX];
	struct insn code[THREADS_MAX][INSNS_MAX];
	uint8_t sem[SEMS], barrier[BARRIERS], stdio;
	uint8_t handler_len[SIGNALS];
	struct insn handler[SIGNALS][HANDLER_MAX];
};

static inline bool cond_holds(const struct cond *c, uint64_t value)
{
	switch (c->cmp) {
	case CMP_EQ:
		return value == c->number;
	case CMP_NE:
		return value != c->number;
	case CMP_LT:
		return value < c->number;
	default:
		return value >= c->number;
	}
}

/* What pthread_join gives: exact for values below 65,536, a mixture for larger ones. */
static inline uint64_t fold_regs(const uint64_t *r)
{
	return r[0] ^ (r[1] << 16 | r[1] >> 48) ^ (r[2] << 32 | r[2] >> 32) ^
	       (r[3] << 48 | r[3] >> 16);
}

/* The last instruction of its loop; 0: it is at no loop's beginning. */
unsigned prog_loop_from(const struct prog *p, unsigned t, unsigned i);
bool prog_uses_stdio(const struct prog *p);
bool prog_uses_copies(const struct prog *p);
bool prog_uses_signals(const struct prog *p);
bool prog_uses(const struct prog *p, enum op op);
bool prog_uses_object(const struct prog *p, char kind, unsigned number);

/*
 * The text form.  A comment reaches from # to the end of its line; lines that begin with "expect"
 * are left to the caller.  prog_parse: false with a sentence in `error`.
 */
void prog_print(const struct prog *p, FILE *out);
bool prog_parse(struct prog *p, const char *text, char error[200]);
/*
 * A sentence about what is wrong with it: objects that do not exist, jumps past the end, threads
 * created twice.
 */
const char *prog_check(const struct prog *p);

#endif
