/* SPDX-License-Identifier: Apache-2.0 */
/* Instructions of a function. */
#include <llvm-c/DebugInfo.h>
#include <string.h>

#include "bitcode/body.h"

static uint64_t key(const void *object)
{
	return (uint64_t)(uintptr_t)object;
}

struct ir_func *body_func(const struct body *b)
{
	return &b->l->m->funcs.at[b->number];
}

uint32_t body_register(struct body *b, uint32_t type)
{
	vec_push(&body_func(b)->registers, type);
	return (uint32_t)body_func(b)->registers.len - 1;
}

uint32_t body_value(struct body *b, LLVMValueRef v)
{
	if (LLVMIsConstant(v))
		return load_const(b->l, v) | IR_CONST;
	uint64_t *known = map_get(&b->registers, key(v));
	if (!known)
		load_refuse(b->l, "this operand", v);
	return known ? (uint32_t)*known : 0;
}

static uint32_t block(struct body *b, LLVMValueRef v)
{
	uint64_t *known = map_get(&b->blocks, key(LLVMValueAsBasicBlock(v)));
	return known ? (uint32_t)*known : 0;
}

void body_put(struct body *b, uint32_t operand)
{
	vec_push(&body_func(b)->operands, operand);
	vec_last(&body_func(b)->insts).operands++;
}

static uint32_t load_file(struct loader *l, LLVMMetadataRef file)
{
	uint64_t *known = map_get(&l->files, key(file));
	if (known)
		return (uint32_t)*known;
	unsigned len, dir_len;
	const char *name = LLVMDIFileGetFilename(file, &len);
	const char *dir = LLVMDIFileGetDirectory(file, &dir_len);
	struct buf path = { 0 };
	if (len && *name != '/' && dir_len) {
		buf_add(&path, dir, dir_len);
		buf_char(&path, '/');
	}
	buf_add(&path, name, len);
	vec_push(&l->m->files, buf_take(&path));
	*map_put(&l->files, key(file), NULL) = l->m->files.len - 1;
	return (uint32_t)l->m->files.len - 1;
}

static struct ir_place load_place(struct loader *l, LLVMValueRef from)
{
	struct ir_place place = { .file = IR_NONE };
	LLVMMetadataRef at = LLVMInstructionGetDebugLoc(from);
	LLVMMetadataRef scope = at ? LLVMDILocationGetScope(at) : NULL;
	LLVMMetadataRef file = scope ? LLVMDIScopeGetFile(scope) : NULL;
	if (!file)
		return place;
	place.file = load_file(l, file);
	place.line = LLVMDILocationGetLine(at);
	place.column = LLVMDILocationGetColumn(at);
	return place;
}

/* The number that prepare.c has given the instruction. */
static uint32_t load_site(struct loader *l, LLVMValueRef from)
{
	LLVMValueRef node = LLVMGetMetadata(from, l->site_kind);
	LLVMValueRef operand = NULL;
	if (!node || LLVMGetMDNodeNumOperands(node) != 1)
		return IR_NONE;
	LLVMGetMDNodeOperands(node, &operand);
	return operand && LLVMIsAConstantInt(operand) ? (uint32_t)LLVMConstIntGetZExtValue(operand)
						      : IR_NONE;
}

struct ir_inst *body_begin(struct body *b, LLVMValueRef from, enum ir_op op, uint32_t type)
{
	struct ir_inst i = { .op = (uint16_t)op,
			     .type = type,
			     .result = IR_NONE,
			     .site = IR_NONE,
			     .place.file = IR_NONE,
			     .first = (uint32_t)body_func(b)->operands.len };
	if (from) {
		i.place = load_place(b->l, from);
		i.site = load_site(b->l, from);
	}
	vec_push(&body_func(b)->insts, i);
	vec_last(&body_func(b)->blocks).count++;
	return &vec_last(&body_func(b)->insts);
}

void body_operands(struct body *b, LLVMValueRef from, unsigned count)
{
	for (unsigned k = 0; k < count; k++)
		body_put(b, body_value(b, LLVMGetOperand(from, k)));
}

bool body_has_vector(LLVMValueRef v)
{
	return LLVMGetTypeKind(LLVMTypeOf(v)) == LLVMVectorTypeKind;
}

/* Operations with one form in both: their values as operands. */
static bool load_plain(struct body *b, LLVMValueRef from)
{
	static const struct {
		LLVMOpcode from;
		enum ir_op to;
	} table[] = {
		{ LLVMAdd, IR_ADD },
		{ LLVMSub, IR_SUB },
		{ LLVMMul, IR_MUL },
		{ LLVMUDiv, IR_UDIV },
		{ LLVMSDiv, IR_SDIV },
		{ LLVMURem, IR_UREM },
		{ LLVMSRem, IR_SREM },
		{ LLVMShl, IR_SHL },
		{ LLVMLShr, IR_LSHR },
		{ LLVMAShr, IR_ASHR },
		{ LLVMAnd, IR_AND },
		{ LLVMOr, IR_OR },
		{ LLVMXor, IR_XOR },
		{ LLVMFAdd, IR_FADD },
		{ LLVMFSub, IR_FSUB },
		{ LLVMFMul, IR_FMUL },
		{ LLVMFDiv, IR_FDIV },
		{ LLVMFRem, IR_FREM },
		{ LLVMFNeg, IR_FNEG },
		{ LLVMTrunc, IR_TRUNC },
		{ LLVMZExt, IR_ZEXT },
		{ LLVMSExt, IR_SEXT },
		{ LLVMFPTrunc, IR_FPTRUNC },
		{ LLVMFPExt, IR_FPEXT },
		{ LLVMFPToUI, IR_FPTOUI },
		{ LLVMFPToSI, IR_FPTOSI },
		{ LLVMUIToFP, IR_UITOFP },
		{ LLVMSIToFP, IR_SITOFP },
		{ LLVMBitCast, IR_BITS },
		{ LLVMFreeze, IR_BITS },
		{ LLVMSelect, IR_SELECT },
		{ LLVMExtractElement, IR_ELEMENT },
		{ LLVMInsertElement, IR_REPLACE },
		{ LLVMUnreachable, IR_UNREACHABLE },
	};
	LLVMOpcode op = LLVMGetInstructionOpcode(from);
	for (size_t k = 0; k < sizeof(table) / sizeof(*table); k++) {
		if (table[k].from != op)
			continue;
		if (table[k].to <= IR_SITOFP && body_has_vector(LLVMGetOperand(from, 0)))
			load_refuse(b->l, "an operation on vectors", from);
		uint32_t type = op == LLVMUnreachable ? IR_NONE : load_type(b->l, LLVMTypeOf(from));
		body_begin(b, from, table[k].to, type);
		body_operands(b, from, (unsigned)LLVMGetNumOperands(from));
		return true;
	}
	return false;
}

/* The byte offset of the part that indices name. */
static int64_t part(struct body *b, LLVMValueRef from, LLVMTypeRef t)
{
	const unsigned *indices = LLVMGetIndices(from);
	int64_t offset = 0;
	for (unsigned k = 0; k < LLVMGetNumIndices(from); k++) {
		if (LLVMGetTypeKind(t) == LLVMStructTypeKind) {
			offset += (int64_t)LLVMOffsetOfElement(b->l->layout, t, indices[k]);
			t = LLVMStructGetTypeAtIndex(t, indices[k]);
		} else {
			t = LLVMGetElementType(t);
			offset += (int64_t)(indices[k] * LLVMABISizeOfType(b->l->layout, t));
		}
	}
	return offset;
}

/* Assembly becomes a call of a function that is not defined anywhere, and whose name says so. */
static uint32_t assembly(struct body *b, LLVMValueRef callee)
{
	size_t len;
	const char *text = LLVMGetInlineAsmAsmString(callee, &len);
	struct buf name = { 0 };
	buf_printf(&name, "assembly:%.*s", (int)(len > 60 ? 60 : len), text);
	uint32_t number = ir_find_func(b->l->m, name.at);
	if (number == IR_NONE) {
		struct ir_func f = { .name = mem_strdup(name.at),
				     .unit = IR_NONE,
				     .is_variadic = true };
		f.returns =
			load_type(b->l, LLVMVoidTypeInContext(LLVMGetModuleContext(b->l->from)));
		number = (uint32_t)b->l->m->funcs.len;
		vec_push(&b->l->m->funcs, f);
	}
	buf_release(&name);
	vec_push(&b->l->m->consts,
		 ((struct ir_const){
			 .kind = IR_C_FUNC, .type = load_pointer_type(b->l), .index = number }));
	return (uint32_t)(b->l->m->consts.len - 1) | IR_CONST;
}

/* A barrier for the compiler alone. */
static bool is_empty_assembly(LLVMValueRef callee, LLVMValueRef from)
{
	size_t len;
	return LLVMIsAInlineAsm(callee) && LLVMGetNumArgOperands(from) == 0 &&
	       (LLVMGetInlineAsmAsmString(callee, &len), !len);
}

static void load_call(struct body *b, LLVMValueRef from)
{
	static const char byval[] = "byval";
	LLVMValueRef callee = LLVMGetCalledValue(from);
	if (load_is_ignored(callee) || is_empty_assembly(callee, from))
		return;
	LLVMTypeRef type = LLVMGetCalledFunctionType(from);
	unsigned kind = LLVMGetEnumAttributeKindForName(byval, sizeof(byval) - 1);
	unsigned fixed = LLVMCountParamTypes(type), count = LLVMGetNumArgOperands(from);
	for (unsigned k = fixed; k < count; k++)
		if (LLVMGetCallSiteEnumAttribute(from, k + 1, kind))
			load_refuse(b->l, "a large struct as variable argument", from);
	uint32_t to = LLVMIsAInlineAsm(callee) ? assembly(b, callee) : body_value(b, callee);
	uint32_t result = load_type(b->l, LLVMTypeOf(from));
	body_begin(b, from, IR_CALL, result);
	body_put(b, to);
	for (unsigned k = 0; k < count; k++) {
		LLVMValueRef v = LLVMGetOperand(from, k);
		bool is_described = LLVMGetTypeKind(LLVMTypeOf(v)) == LLVMMetadataTypeKind;
		body_put(b, is_described
				    ? load_int_const(b->l, load_int_type(b->l, 8), 0) | IR_CONST
				    : body_value(b, v));
	}
}

static void load_flow(struct body *b, LLVMValueRef from)
{
	switch (LLVMGetInstructionOpcode(from)) {
	case LLVMRet:
		body_begin(b, from, IR_RET, IR_NONE);
		body_operands(b, from, (unsigned)LLVMGetNumOperands(from));
		return;
	case LLVMBr:
		if (!LLVMIsConditional(from)) {
			body_begin(b, from, IR_JUMP, IR_NONE);
		} else {
			body_begin(b, from, IR_BRANCH, IR_NONE);
			body_put(b, body_value(b, LLVMGetCondition(from)));
		}
		for (unsigned k = 0; k < LLVMGetNumSuccessors(from); k++)
			body_put(b, block(b, LLVMBasicBlockAsValue(LLVMGetSuccessor(from, k))));
		return;
	default:
		body_begin(b, from, IR_SWITCH, IR_NONE);
		for (unsigned k = 0; k < (unsigned)LLVMGetNumOperands(from); k++) {
			LLVMValueRef v = LLVMGetOperand(from, k);
			body_put(b, k % 2 ? block(b, v) : body_value(b, v));
		}
		return;
	}
}

static void load_other(struct body *b, LLVMValueRef from)
{
	struct ir_inst *i;
	uint32_t type = load_type(b->l, LLVMTypeOf(from));
	switch (LLVMGetInstructionOpcode(from)) {
	case LLVMICmp:
	case LLVMFCmp:
		if (body_has_vector(from))
			load_refuse(b->l, "an operation on vectors", from);
		bool is_float = LLVMGetInstructionOpcode(from) == LLVMFCmp;
		i = body_begin(b, from, is_float ? IR_FCMP : IR_ICMP, type);
		i->sub = is_float ? (uint8_t)(LLVMGetFCmpPredicate(from) - LLVMRealPredicateFalse)
				  : (uint8_t)(LLVMGetICmpPredicate(from) - LLVMIntEQ);
		body_operands(b, from, 2);
		return;
	case LLVMExtractValue:
		body_begin(b, from, IR_EXTRACT, type)->imm =
			part(b, from, LLVMTypeOf(LLVMGetOperand(from, 0)));
		body_operands(b, from, 1);
		return;
	case LLVMInsertValue:
		body_begin(b, from, IR_INSERT, type)->imm = part(b, from, LLVMTypeOf(from));
		body_operands(b, from, 2);
		return;
	case LLVMShuffleVector:
		body_begin(b, from, IR_SHUFFLE, type);
		body_operands(b, from, 2);
		for (unsigned k = 0; k < LLVMGetNumMaskElements(from); k++) {
			int n = LLVMGetMaskValue(from, k);
			body_put(b, n == LLVMGetUndefMaskElem() ? IR_ANY_ELEMENT : (uint32_t)n);
		}
		return;
	default:
		load_refuse(b->l, "this instruction", from);
	}
}

/* Integers and addresses have 64 bits when one becomes the other. */
static void load_address_cast(struct body *b, LLVMValueRef from)
{
	bool to_int = LLVMGetInstructionOpcode(from) == LLVMPtrToInt;
	LLVMTypeRef narrow = LLVMTypeOf(to_int ? from : LLVMGetOperand(from, 0));
	if (LLVMGetTypeKind(narrow) != LLVMIntegerTypeKind) {
		load_refuse(b->l, "a vector of addresses", from);
		return;
	}
	unsigned bits = LLVMGetIntTypeWidth(narrow);
	uint32_t word = load_int_type(b->l, 64), type = load_type(b->l, LLVMTypeOf(from));
	uint32_t v = body_value(b, LLVMGetOperand(from, 0));
	if (bits == 64) {
		body_begin(b, from, IR_BITS, type);
		body_put(b, v);
		return;
	}
	body_begin(b, from, to_int ? IR_BITS : bits < 64 ? IR_ZEXT : IR_TRUNC, word);
	body_put(b, v);
	uint32_t between = body_register(b, word);
	vec_last(&body_func(b)->insts).result = between;
	body_begin(b, from, to_int ? bits < 64 ? IR_TRUNC : IR_ZEXT : IR_BITS, type);
	body_put(b, between);
}

static void load_inst(struct body *b, LLVMValueRef from)
{
	size_t before = body_func(b)->insts.len;
	uint64_t *own = map_get(&b->registers, key(from));
	uint32_t result = own ? (uint32_t)*own : IR_NONE;
	switch (LLVMGetInstructionOpcode(from)) {
	case LLVMAlloca:
	case LLVMLoad:
	case LLVMStore:
	case LLVMAtomicCmpXchg:
	case LLVMFence:
		body_memory(b, from);
		break;
	case LLVMAtomicRMW:
		body_rmw(b, from);
		break;
	case LLVMGetElementPtr:
		body_path(b, from);
		break;
	case LLVMCall:
		load_call(b, from);
		break;
	case LLVMRet:
	case LLVMBr:
	case LLVMSwitch:
		load_flow(b, from);
		break;
	case LLVMPtrToInt:
	case LLVMIntToPtr:
		load_address_cast(b, from);
		break;
	case LLVMPHI:
		/* Its operands come later (load_phis). */
		body_begin(b, from, IR_PHI, load_type(b->l, LLVMTypeOf(from)));
		break;
	default:
		if (!load_plain(b, from))
			load_other(b, from);
	}
	if (body_func(b)->insts.len > before)
		vec_last(&body_func(b)->insts).result = result;
}

/* Registers first: in the order of blocks, a use may stand before the instruction that it uses. */
static void number_registers(struct body *b, LLVMValueRef from)
{
	for (LLVMBasicBlockRef at = LLVMGetFirstBasicBlock(from); at;
	     at = LLVMGetNextBasicBlock(at))
		for (LLVMValueRef v = LLVMGetFirstInstruction(at); v && !b->l->rc;
		     v = LLVMGetNextInstruction(v)) {
			if (LLVMGetTypeKind(LLVMTypeOf(v)) == LLVMVoidTypeKind)
				continue;
			uint32_t type = load_type(b->l, LLVMTypeOf(v));
			*map_put(&b->registers, key(v), NULL) = body_register(b, type);
		}
}

static void load_phis(struct body *b, LLVMValueRef from)
{
	uint32_t number = 0;
	for (LLVMBasicBlockRef block_from = LLVMGetFirstBasicBlock(from); block_from;
	     block_from = LLVMGetNextBasicBlock(block_from), number++) {
		uint32_t inst = body_func(b)->blocks.at[number].first;
		for (LLVMValueRef v = LLVMGetFirstInstruction(block_from); v && LLVMIsAPHINode(v);
		     v = LLVMGetNextInstruction(v), inst++) {
			uint32_t first = (uint32_t)body_func(b)->operands.len;
			for (unsigned k = 0; k < LLVMCountIncoming(v); k++) {
				LLVMValueRef from_block =
					LLVMBasicBlockAsValue(LLVMGetIncomingBlock(v, k));
				uint32_t in = block(b, from_block);
				vec_push(&body_func(b)->operands, in);
				uint32_t what = body_value(b, LLVMGetIncomingValue(v, k));
				vec_push(&body_func(b)->operands, what);
			}
			body_func(b)->insts.at[inst].first = first;
			body_func(b)->insts.at[inst].operands = 2 * LLVMCountIncoming(v);
		}
	}
}

/*
 * A struct that is passed by value in memory belongs to the function that is called: it begins
 * with a copy.
 */
static void load_params(struct body *b, LLVMValueRef from)
{
	static const char byval[] = "byval";
	unsigned kind = LLVMGetEnumAttributeKindForName(byval, sizeof(byval) - 1);
	for (unsigned k = 0; k < LLVMCountParams(from); k++) {
		LLVMAttributeRef a = LLVMGetEnumAttributeAtIndex(from, k + 1, kind);
		uint32_t source = k;
		if (a) {
			uint32_t type = load_type(b->l, LLVMGetTypeAttributeValue(a));
			uint32_t copy = body_register(b, body_func(b)->params.at[k]);
			uint32_t one = load_int_const(b->l, load_int_type(b->l, 32), 1) | IR_CONST;
			struct ir_inst *i = body_begin(b, NULL, IR_ALLOCA, type);
			i->imm = b->l->rc ? 1 : (int64_t)b->l->m->types.at[type].align;
			i->result = copy;
			body_put(b, one);
			uint32_t content = body_register(b, type);
			body_begin(b, NULL, IR_LOAD, type)->result = content;
			body_put(b, source);
			body_begin(b, NULL, IR_STORE, IR_NONE);
			body_put(b, content);
			body_put(b, copy);
			source = copy;
		}
		*map_put(&b->registers, key(LLVMGetParam(from, k)), NULL) = source;
	}
}

void load_body(struct loader *l, LLVMValueRef from, uint32_t number)
{
	struct body b = { .l = l, .number = number };
	unsigned blocks = LLVMCountBasicBlocks(from);
	LLVMBasicBlockRef *order_of = mem_zero(blocks + 1, sizeof(*order_of));
	LLVMGetBasicBlocks(from, order_of);
	for (unsigned k = 0; k < blocks; k++)
		*map_put(&b.blocks, key(order_of[k]), NULL) = k;
	number_registers(&b, from);
	for (unsigned k = 0; k < blocks && !l->rc; k++) {
		vec_push(&body_func(&b)->blocks,
			 ((struct ir_block){ (uint32_t)body_func(&b)->insts.len, 0 }));
		if (!k)
			load_params(&b, from);
		for (LLVMValueRef v = LLVMGetFirstInstruction(order_of[k]); v && !l->rc;
		     v = LLVMGetNextInstruction(v))
			load_inst(&b, v);
	}
	if (!l->rc)
		load_phis(&b, from);
	mem_free(order_of);
	map_release(&b.registers);
	map_release(&b.blocks);
}
