/* SPDX-License-Identifier: Apache-2.0 */
/*
 * heddle's own form of a program's code: what the analyses, the interpreter and the symbolic
 * executor read.  It is made from LLVM bitcode by the program heddle-bitcode (src/bitcode) and
 * passed on as text (write.h, read.h).
 *
 * A module has tables of types, constants, globals and functions; all refer to each other by
 * index.  A function is a list of blocks, a block a range of the function's instructions that ends
 * in a terminator.  Instructions are in static single assignment: each register is assigned by one
 * instruction or is a parameter (registers 0 to parameters - 1).
 *
 * Layout is explicit: sizes and offsets are bytes of the target, x86-64.  Constant expressions are
 * folded to an address and an offset.  What LLVM expresses by an index path into nested types is
 * one `offset` instruction: base + imm + sum of index * scale.
 *
 * A value of a scalar type is a number; a value of a struct, array or vector type, of the 80-bit
 * float, or of an integer above 64 bits is the bytes that it has in memory.
 */
#ifndef HEDDLE_IR_IR_H
#define HEDDLE_IR_IR_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"

enum ir_type_kind {
	IR_VOID,
	IR_INT,
	IR_F32,
	IR_F64,
	IR_F80,
	IR_PTR,
	IR_ARRAY,
	IR_STRUCT,
	IR_VECTOR
};

struct ir_field {
	uint32_t type;
	uint64_t offset;
};

struct ir_type {
	enum ir_type_kind kind;
	uint32_t bits;		     /* of IR_INT: 1 to 128 */
	uint32_t element;	     /* of IR_ARRAY and IR_VECTOR */
	uint64_t count;		     /* the same */
	VEC(struct ir_field) fields; /* of IR_STRUCT */
	uint64_t size, align;	     /* in memory; 0 and 1 for IR_VOID */
};

enum ir_const_kind {
	IR_C_INT,    /* low and, above 64 bits, high: an integer; the bits of a float */
	IR_C_ZERO,   /* all bytes zero: null, aggregates */
	IR_C_UNDEF,  /* any value */
	IR_C_GLOBAL, /* address of global `index`, plus `low` */
	IR_C_FUNC,   /* address of function `index`, plus `low` */
	IR_C_BYTES,  /* an array of bytes */
	IR_C_LIST,   /* the elements of an aggregate, constants */
};

struct ir_const {
	enum ir_const_kind kind;
	uint32_t type;
	uint32_t index;
	uint64_t low, high;
	VEC(char) bytes;
	VEC(uint32_t) list;
};

#define IR_NONE UINT32_MAX
/* In the mask of a shuffle: an element that may have any value. */
#define IR_ANY_ELEMENT (IR_CONST - 2)

struct ir_global {
	char *name;
	uint32_t type; /* of its contents */
	uint32_t init; /* a constant; IR_NONE: defined elsewhere */
	uint64_t align;
	bool is_const, is_tls, is_internal;
};

/* Operands: a register, or a constant with this bit. */
#define IR_CONST 0x80000000u

enum ir_op {
#define IR_OP(NAME, word, operands) IR_##NAME,
#include "ir/ops.def"
#undef IR_OP
	IR_OPS
};

/* Predicates of icmp and fcmp; U: unsigned, S: signed; fcmp: O ordered, U unordered. */
enum ir_icmp { IR_EQ, IR_NE, IR_UGT, IR_UGE, IR_ULT, IR_ULE, IR_SGT, IR_SGE, IR_SLT, IR_SLE };
enum ir_fcmp {
	IR_F_FALSE,
	IR_F_OEQ,
	IR_F_OGT,
	IR_F_OGE,
	IR_F_OLT,
	IR_F_OLE,
	IR_F_ONE,
	IR_F_ORD,
	IR_F_UNO,
	IR_F_UEQ,
	IR_F_UGT,
	IR_F_UGE,
	IR_F_ULT,
	IR_F_ULE,
	IR_F_UNE,
	IR_F_TRUE,
};
/* What a read-modify-write does. */
enum ir_rmw {
	IR_RMW_XCHG,
	IR_RMW_ADD,
	IR_RMW_SUB,
	IR_RMW_AND,
	IR_RMW_NAND,
	IR_RMW_OR,
	IR_RMW_XOR,
	IR_RMW_MAX,
	IR_RMW_MIN,
	IR_RMW_UMAX,
	IR_RMW_UMIN,
	IR_RMW_FADD,
	IR_RMW_FSUB,
};
/* Memory orders; IR_PLAIN is no atomic access. */
enum ir_order { IR_PLAIN, IR_RELAXED, IR_ACQUIRE, IR_RELEASE, IR_ACQ_REL, IR_SEQ_CST };

struct ir_place {
	uint32_t file, line, column; /* file: IR_NONE if unknown */
};

struct ir_inst {
	uint16_t op;
	/* predicate of a comparison, what an rmw does */
	uint8_t sub;
	uint8_t order; /* of memory instructions: enum ir_order */
	bool is_volatile;
	uint32_t type;	 /* of the result; IR_NONE if it has none; of alloca: of one element */
	uint32_t result; /* register, IR_NONE if it has none */
	uint32_t first, operands; /* in the function's list */
	/* offset: the constant part; extract, insert: byte offset of the part; alloca: alignment */
	int64_t imm;
	/* A number that identifies accesses, branches and calls within their unit, and is stable
	 * for one bitcode; IR_NONE for other instructions. */
	uint32_t site;
	struct ir_place place;
};

struct ir_block {
	uint32_t first, count; /* instructions */
};

struct ir_func {
	char *name;
	uint32_t returns;     /* type */
	VEC(uint32_t) params; /* types */
	/* the unit whose sites are in it; IR_NONE if the function is only declared */
	uint32_t unit;
	bool is_variadic, is_internal, is_defined;
	VEC(uint32_t) registers; /* types */
	VEC(struct ir_block) blocks;
	VEC(struct ir_inst) insts;
	VEC(uint32_t) operands;
};

struct ir_module {
	VEC(struct ir_type) types;
	VEC(struct ir_const) consts;
	VEC(struct ir_global) globals;
	VEC(struct ir_func) funcs;
	VEC(char *) files;
	VEC(char *) units;	/* translation units: source and hash */
	VEC(uint32_t) starts;	/* functions to call before main, in order */
	VEC(uint32_t) finishes; /* and after it */
};

void ir_module_release(struct ir_module *m);

/* Fill in size and alignment of a type whose other members are set; of structs both are given.
 * False if the size is absurd or the type is not one of a value in memory. */
bool ir_type_layout(const struct ir_module *m, struct ir_type *t);

const char *ir_op_word(enum ir_op op);
const char *ir_op_operands(enum ir_op op); /* as in ops.def */
static inline bool ir_is_terminator(enum ir_op op)
{
	return op >= IR_RET && op <= IR_UNREACHABLE;
}

/* Whether values of the type are numbers; if not, they are bytes. */
static inline bool ir_is_scalar(const struct ir_type *t)
{
	return (t->kind == IR_INT && t->bits <= 64) || t->kind == IR_F32 || t->kind == IR_F64 ||
	       t->kind == IR_PTR;
}
/* Bytes that a load or store of the type touches. */
static inline uint64_t ir_store_size(const struct ir_type *t)
{
	return t->kind == IR_INT ? (t->bits + 7) / 8 : t->kind == IR_F80 ? 10 : t->size;
}
/* Type of an operand that is a value. */
static inline uint32_t ir_type_of(const struct ir_module *m, const struct ir_func *f, uint32_t v)
{
	return v & IR_CONST ? m->consts.at[v & ~IR_CONST].type : f->registers.at[v];
}
static inline const uint32_t *ir_operands(const struct ir_func *f, const struct ir_inst *i)
{
	return f->operands.at + i->first;
}

/* IR_NONE if there is none. */
uint32_t ir_find_func(const struct ir_module *m, const char *name);
uint32_t ir_find_global(const struct ir_module *m, const char *name);

/* The successors of a block, in the order of its terminator; duplicates stay.  Fewer than `room`
 * fit: the rest is counted, not stored. */
uint32_t ir_successors(const struct ir_func *f, uint32_t block, uint32_t *out, uint32_t room);

/* The function that a call calls; IR_NONE if only execution knows. */
uint32_t ir_callee(const struct ir_module *m, const struct ir_func *f, const struct ir_inst *i);

/* The kind of operand `number` of an operation with `operands` operands: 'v', 'b' or 'n'; 0 if it
 * may not have that many. */
char ir_operand_kind(enum ir_op op, uint32_t operands, uint32_t number);

#endif
