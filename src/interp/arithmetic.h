/* SPDX-License-Identifier: Apache-2.0 */
/* Operations on numbers of at most 64 bits; in a header because the loop of run.c inlines them. */
#ifndef HEDDLE_INTERP_ARITHMETIC_H
#define HEDDLE_INTERP_ARITHMETIC_H

#include <math.h>

#include "interp/machine.h"

static inline uint64_t number_shift(unsigned op, uint64_t a, uint64_t b, unsigned bits)
{
	if (b >= bits)
		return 0; /* undefined; any value */
	if (op == IR_SHL)
		return a << b;
	return op == IR_LSHR ? a >> b : (uint64_t)(sign_extend(a, bits) >> b);
}

static inline bool number_compare(unsigned sub, uint64_t a, uint64_t b, unsigned bits)
{
	int64_t x = sign_extend(a, bits), y = sign_extend(b, bits);
	if (FAULT(INTERP_SIGNED_COMPARED_UNSIGNED) && sub >= IR_SGT)
		sub -= IR_SGT - IR_UGT;
	switch (sub) {
	case IR_EQ:
		return a == b;
	case IR_NE:
		return a != b;
	case IR_UGT:
		return a > b;
	case IR_UGE:
		return a >= b;
	case IR_ULT:
		return a < b;
	case IR_ULE:
		return a <= b;
	case IR_SGT:
		return x > y;
	case IR_SGE:
		return x >= y;
	case IR_SLT:
		return x < y;
	default:
		return x <= y;
	}
}

static inline double number_as_double(uint64_t v, unsigned bits)
{
	double d;
	float f;
	uint32_t low = (uint32_t)v;
	memcpy(&d, &v, 8);
	memcpy(&f, &low, 4);
	return bits == 32 ? (double)f : d;
}

static inline uint64_t number_from_double(double d, unsigned bits)
{
	uint64_t v;
	float f = (float)d;
	uint32_t low;
	memcpy(&v, &d, 8);
	memcpy(&low, &f, 4);
	return bits == 32 ? low : v;
}

/* A float operation on numbers of 32 bits may be done in 64: the result is rounded twice, and for
 * these operations twice is the same as once, because a double has more than 2 * 24 + 2 bits. */
static inline uint64_t number_float_operation(const struct code *c, uint64_t x, uint64_t y)
{
	double a = number_as_double(x, c->bits), b = number_as_double(y, c->bits);
	switch (c->op) {
	case IR_FADD:
		return number_from_double(a + b, c->bits);
	case IR_FSUB:
		return number_from_double(a - b, c->bits);
	case IR_FMUL:
		return number_from_double(a * b, c->bits);
	case IR_FDIV:
		return number_from_double(a / b, c->bits);
	case IR_FREM:
		return number_from_double(fmod(a, b), c->bits);
	default:
		return x ^ 1ull << (c->bits - 1); /* FNEG */
	}
}

static inline bool number_float_compare(const struct code *c, uint64_t x, uint64_t y)
{
	double a = number_as_double(x, c->bits), b = number_as_double(y, c->bits);
	/* The bits of a predicate: unordered, less, greater, equal. */
	unsigned relation = isunordered(a, b) ? 8 : a < b ? 4 : a > b ? 2 : 1;
	return c->sub & relation;
}

static inline uint64_t number_convert(const struct code *c, uint64_t a)
{
	double d = number_as_double(a, c->bits);
	switch (c->op) {
	case IR_TRUNC:
		return a & low_bits(c->sub);
	case IR_SEXT:
		return (uint64_t)sign_extend(a, c->bits) & low_bits(c->sub);
	case IR_FPTRUNC:
	case IR_FPEXT:
		return number_from_double(d, c->sub);
	case IR_FPTOSI:
		return d >= -0x1p63 && d < 0x1p63 ? (uint64_t)(int64_t)d & low_bits(c->sub) : 0;
	case IR_FPTOUI:
		return d > -1 && d < 0x1p64 ? (uint64_t)d & low_bits(c->sub) : 0;
	case IR_UITOFP:
		return c->sub == 32 ? number_from_double((float)a, 32)
				    : number_from_double((double)a, 64);
	case IR_SITOFP:
		return c->sub == 32 ? number_from_double((float)sign_extend(a, c->bits), 32)
				    : number_from_double((double)sign_extend(a, c->bits), 64);
	default:
		return a; /* ZEXT, BITS */
	}
}

static inline uint64_t number_modify(const struct code *c, uint64_t old, uint64_t v)
{
	struct code f = { .op = c->sub == IR_RMW_FADD ? IR_FADD : IR_FSUB, .bits = c->bits };
	bool is_less = sign_extend(old, c->bits) < sign_extend(v, c->bits);
	switch (c->sub) {
	case IR_RMW_XCHG:
		return v;
	case IR_RMW_ADD:
		return old + v;
	case IR_RMW_SUB:
		return old - v;
	case IR_RMW_AND:
		return old & v;
	case IR_RMW_NAND:
		return ~(old & v);
	case IR_RMW_OR:
		return old | v;
	case IR_RMW_XOR:
		return old ^ v;
	case IR_RMW_MAX:
		return is_less ? v : old;
	case IR_RMW_MIN:
		return is_less ? old : v;
	case IR_RMW_UMAX:
		return old < v ? v : old;
	case IR_RMW_UMIN:
		return old < v ? old : v;
	default:
		return number_float_operation(&f, old, v);
	}
}

#endif
