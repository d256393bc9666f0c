/* SPDX-License-Identifier: Apache-2.0 */
/* The state of an interpreted execution; for the files of this folder only. */
#ifndef HEDDLE_INTERP_MACHINE_H
#define HEDDLE_INTERP_MACHINE_H

#include <string.h>

#include "base/map.h"
#include "interp/interp.h"
#include "wire/fault.h"

/*
 * Addresses of the program are addresses of the interpreter's own memory, at a fixed place, so that
 * they are the same in every execution.  First read-only variables, then others, then the heap,
 * which grows, at the end a stack for each thread.
 */
#define ARENA_BASE 0x100000000000ull
#define ARENA_SIZE (4ull << 30)
#define STACK_SIZE (8ull << 20)
#define THREADS_MAX 128
#define HEAP_END (ARENA_SIZE - THREADS_MAX * STACK_SIZE)
/* Functions have addresses that cannot be read. */
#define FUNCTIONS_BASE 0x200000000000ull
/* Registers of all frames of a thread, in slots of 8 bytes. */
#define SLOTS (8u << 20)

/* A decoded instruction: operands are slots, or slots of the function's constants with IR_CONST. */
struct code {
	uint16_t op; /* enum code_op */
	uint8_t sub, bits;
	uint32_t dst, a, b, c;
	int64_t imm;
};

enum code_op {
	/* the operations of IR on numbers of at most 64 bits come first, with IR's numbers */
	CODE_LOAD1 = IR_OPS,
	CODE_LOAD2,
	CODE_LOAD4,
	CODE_LOAD8,
	CODE_STORE1,
	CODE_STORE2,
	CODE_STORE4,
	CODE_STORE8,
	CODE_LOAD_BYTES, /* imm bytes */
	CODE_STORE_BYTES,
	CODE_OFFSET1, /* dst = a + b * c + imm, b of `bits` bits */
	CODE_ADD_IMM,
	CODE_TLS,  /* dst = this thread's address of variable imm */
	CODE_WIDE, /* c is the number of the IR instruction */
	CODE_COPY, /* imm slots */
	CODE_CALL, /* a: list of operands; b: their number; c: instruction */
	CODE_SWITCH,
};

/* An edge of control flow: where it leads, and what is assigned to phis on the way. */
struct edge {
	uint32_t pc, first, count;
};

struct move {
	uint32_t to, from, slots;
};

struct machine;
struct thread;

/* What a function that is not interpreted does.  Arguments are in c->args. */
enum outcome {
	OUTCOME_DONE,
	OUTCOME_WAIT, /* the thread cannot go on; the call is made again when it can */
	OUTCOME_END,  /* the execution has ended */
	OUTCOME_CALL, /* a function of the program was entered instead */
};
struct call {
	struct machine *m;
	struct thread *t;
	const struct ir_func *f; /* the one that is called */
	int kind;		 /* its number among those of one builtin */
	const struct ir_inst *inst;
	const uint64_t *args; /* a slot for each; of wide ones the address of their bytes */
	const uint32_t *types;
	uint32_t count;
	uint64_t *result;
};
typedef enum outcome (*builtin)(struct call *c);

struct function {
	const struct ir_func *ir;
	builtin builtin; /* of one that is only declared; NULL: not modelled */
	int kind;	 /* for a builtin that stands for several functions */
	bool is_decoded;
	uint32_t slots;	   /* of registers */
	uint32_t *slot_of; /* of each register */
	VEC(struct code) code;
	VEC(uint64_t) consts;
	VEC(struct edge) edges;
	VEC(struct move) moves;
	VEC(uint32_t) lists;   /* operands of calls and switches */
	VEC(uint32_t) inst_of; /* of each code */
};

struct frame {
	struct function *f;
	uint32_t pc;
	uint64_t *r;
	uint32_t result;  /* slot of the caller for the value */
	uint64_t stack;	  /* top of the stack before the call */
	uint64_t varargs; /* address of the variable arguments */
};

enum wait_kind {
	WAIT_NONE,
	WAIT_MUTEX,
	WAIT_COND, /* until it is woken up; then it waits for the mutex */
	WAIT_READ,
	WAIT_WRITE,
	WAIT_BARRIER,
	WAIT_SEM,
	WAIT_JOIN,
	WAIT_ONCE,
};

struct thread {
	uint32_t number;
	VEC(struct frame) frames;
	uint64_t *slots;
	uint64_t stack, stack_end; /* grows downwards from stack_end */
	uint64_t *tls;		   /* address of each thread-local variable, 0 if not yet made */
	enum wait_kind wait;
	uint64_t object;   /* what it waits for */
	bool is_woken;	   /* of WAIT_COND and WAIT_BARRIER */
	bool was_switched; /* the switch before the current operation has been made */
	bool is_ended, is_detached, is_joined;
	uint64_t value; /* of the ended thread */
	VEC(uint64_t) specific;
	uint64_t errno_at;
};

struct object {
	enum wait_kind kind;
	uint32_t type;	/* of a mutex */
	uint32_t owner; /* thread + 1; 0: nobody */
	uint32_t depth; /* of a recursive mutex; readers of a rwlock */
	uint32_t count; /* of a barrier */
	uint32_t arrived;
	uint64_t value;	     /* of a semaphore; 1 of a once control that is done */
	VEC(uint32_t) queue; /* waiting threads, first come first */
};

struct machine {
	const struct ir_module *m;
	const struct interp_input *input;
	struct interp_result *result;
	uint8_t *valid; /* a bit for each byte of the arena */
	uint64_t readonly_end, heap;
	struct function *functions;
	uint64_t *globals; /* addresses */
	VEC(struct thread *) threads;
	struct thread *current;
	struct map objects; /* address to number + 1 */
	VEC(struct object) list;
	struct map blocks;   /* heap: address to size + 1 */
	VEC(uint64_t) exits; /* functions of atexit */
	uint32_t keys;
	uint64_t random; /* of the scheduler */
	size_t decision;
	size_t stdin_at;
	uint64_t ctype, lower, upper; /* tables of <ctype.h>; 0 if not yet made */
	uint64_t streams[3];
	struct err *err;
	int rc;
	bool is_ending; /* functions of atexit are running, status in result */
};

/* ---- space.c ---- */

int space_init(struct machine *m);
void space_release(struct machine *m);
/* An object of zeros, alive; 0 if there is no room. */
uint64_t space_allot(struct machine *m, uint64_t size, uint64_t align);
void space_mark(struct machine *m, uint64_t at, uint64_t size, bool is_valid);
bool space_holds(const struct machine *m, uint64_t at, uint64_t size);
/* End the execution if the bytes may not be read or written. */
bool space_check(struct machine *m, uint64_t at, uint64_t size, bool is_write);
/* Length of a string; false, and the execution ends, if it has no end. */
bool space_string(struct machine *m, uint64_t at, uint64_t *len);

/* At most 8 bytes. */
static inline bool space_is_valid(const struct machine *m, uint64_t at, unsigned size)
{
	uint64_t offset = at - ARENA_BASE;
	uint16_t bits, all = (uint16_t)((1u << size) - 1);
	if (offset >= ARENA_SIZE - 8)
		return false;
	memcpy(&bits, m->valid + (offset >> 3), sizeof(bits));
	return ((bits >> (offset & 7)) & all) == all;
}

/* ---- machine.c ---- */

enum outcome machine_end(struct machine *m, enum interp_end end, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* The function at an address; NULL if there is none. */
struct function *machine_function(struct machine *m, uint64_t address);
uint64_t machine_address(const struct machine *m, uint32_t func);
/* The bits of a constant at `to`, as it is in memory. */
bool machine_store_const(struct machine *m, uint32_t number, void *to);
struct thread *thread_new(struct machine *m, struct function *f, uint64_t argument);
uint64_t thread_local_address(struct machine *m, struct thread *t, uint32_t global);

/* ---- decode.c ---- */

bool interp_decode(struct machine *m, struct function *f);

/* ---- run.c ---- */

/* Enter a function; the result goes to a slot of the caller's frame. */
bool thread_enter(struct machine *m, struct thread *t, struct function *f, uint32_t result);
void thread_run(struct machine *m, struct thread *t);

/* ---- wide.c ---- */

/* An instruction with values that are bytes. */
bool wide_run(struct machine *m, struct frame *fr, const struct ir_inst *i);

/* ---- builtins ---- */

/* The builtin of a name; *kind is its number among those of one function. */
builtin builtin_find(const char *name, int *kind);
builtin intrinsic_find(const char *name, int *kind);
builtin sync_find(const char *name, int *kind);
builtin math_find(const char *name, int *kind);
/* printf's output by a format and arguments that lie one behind the other. */
bool format_print(struct machine *m, uint64_t format, uint64_t arguments, struct buf *out);
/* Variable arguments of a call from number `from` on, in memory of the running frame. */
uint64_t format_arguments(struct call *c, uint32_t from);
bool thread_can_run(struct machine *m, struct thread *t);
void thread_ends(struct machine *m, struct thread *t, uint64_t value);

static inline const struct ir_type *type_of(const struct machine *m, uint32_t number)
{
	return &m->m->types.at[number];
}
static inline uint64_t low_bits(unsigned bits)
{
	return bits >= 64 ? ~0ull : (1ull << bits) - 1;
}
static inline int64_t sign_extend(uint64_t v, unsigned bits)
{
	return (int64_t)(v << (64 - bits)) >> (64 - bits);
}

#endif
