/* SPDX-License-Identifier: Apache-2.0 */
/* Instructions that access memory or compute addresses. */
#include "bitcode/body.h"

static enum ir_order order(LLVMAtomicOrdering o)
{
	switch (o) {
	case LLVMAtomicOrderingNotAtomic:
		return IR_PLAIN;
	case LLVMAtomicOrderingUnordered:
	case LLVMAtomicOrderingMonotonic:
		return IR_RELAXED;
	case LLVMAtomicOrderingAcquire:
		return IR_ACQUIRE;
	case LLVMAtomicOrderingRelease:
		return IR_RELEASE;
	case LLVMAtomicOrderingAcquireRelease:
		return IR_ACQ_REL;
	default:
		return IR_SEQ_CST;
	}
}

void body_rmw(struct body *b, LLVMValueRef from)
{
	static const enum ir_rmw ops[] = {
		[LLVMAtomicRMWBinOpXchg] = IR_RMW_XCHG, [LLVMAtomicRMWBinOpAdd] = IR_RMW_ADD,
		[LLVMAtomicRMWBinOpSub] = IR_RMW_SUB,	[LLVMAtomicRMWBinOpAnd] = IR_RMW_AND,
		[LLVMAtomicRMWBinOpNand] = IR_RMW_NAND, [LLVMAtomicRMWBinOpOr] = IR_RMW_OR,
		[LLVMAtomicRMWBinOpXor] = IR_RMW_XOR,	[LLVMAtomicRMWBinOpMax] = IR_RMW_MAX,
		[LLVMAtomicRMWBinOpMin] = IR_RMW_MIN,	[LLVMAtomicRMWBinOpUMax] = IR_RMW_UMAX,
		[LLVMAtomicRMWBinOpUMin] = IR_RMW_UMIN, [LLVMAtomicRMWBinOpFAdd] = IR_RMW_FADD,
		[LLVMAtomicRMWBinOpFSub] = IR_RMW_FSUB,
	};
	unsigned op = LLVMGetAtomicRMWBinOp(from);
	if (op >= sizeof(ops) / sizeof(*ops)) {
		load_refuse(b->l, "this atomic operation", from);
		return;
	}
	struct ir_inst *i = body_begin(b, from, IR_RMW, load_type(b->l, LLVMTypeOf(from)));
	i->sub = (uint8_t)ops[op];
	i->order = (uint8_t)order(LLVMGetOrdering(from));
	body_operands(b, from, 2);
}

void body_path(struct body *b, LLVMValueRef from)
{
	LLVMTypeRef t = LLVMGetGEPSourceElementType(from);
	int64_t offset = 0;
	if (body_has_vector(from)) {
		load_refuse(b->l, "a vector of addresses", from);
		return;
	}
	body_begin(b, from, IR_OFFSET, load_type(b->l, LLVMTypeOf(from)));
	body_put(b, body_value(b, LLVMGetOperand(from, 0)));
	for (unsigned k = 1; k < (unsigned)LLVMGetNumOperands(from) && !b->l->rc; k++) {
		LLVMValueRef index = LLVMGetOperand(from, k);
		uint64_t scale = load_step(b->l, &t, index, k == 1, &offset);
		if (!scale)
			continue;
		if (scale >= IR_CONST) {
			load_refuse(b->l, "elements above 2 GB", from);
			return;
		}
		body_put(b, body_value(b, index));
		body_put(b, (uint32_t)scale);
	}
	vec_last(&body_func(b)->insts).imm = offset;
}

void body_memory(struct body *b, LLVMValueRef from)
{
	LLVMOpcode op = LLVMGetInstructionOpcode(from);
	uint32_t type = IR_NONE;
	if (op == LLVMAlloca)
		type = load_type(b->l, LLVMGetAllocatedType(from));
	else if (op == LLVMLoad || op == LLVMAtomicCmpXchg)
		type = load_type(b->l, LLVMTypeOf(from));
	static const struct {
		LLVMOpcode from;
		enum ir_op to;
		unsigned operands;
	} table[] = { { LLVMAlloca, IR_ALLOCA, 1 },
		      { LLVMLoad, IR_LOAD, 1 },
		      { LLVMStore, IR_STORE, 2 },
		      { LLVMAtomicCmpXchg, IR_CMPXCHG, 3 },
		      { LLVMFence, IR_FENCE, 0 } };
	size_t k = 0;
	while (table[k].from != op)
		k++;
	struct ir_inst *i = body_begin(b, from, table[k].to, type);
	if (op == LLVMAlloca)
		i->imm = LLVMGetAlignment(from);
	else if (op == LLVMAtomicCmpXchg)
		i->order = (uint8_t)order(LLVMGetCmpXchgSuccessOrdering(from));
	else
		i->order = (uint8_t)order(LLVMGetOrdering(from));
	if (op == LLVMLoad || op == LLVMStore)
		i->is_volatile = LLVMGetVolatile(from);
	body_operands(b, from, table[k].operands);
}
