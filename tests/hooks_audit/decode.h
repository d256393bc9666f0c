/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What one instruction does to memory: every load and store with its address and size, computed
 * from the registers before it executes.
 *
 * All operands that the decoder knows are looked at, also implicit ones (string instructions).
 * Left out are: the traffic of push, pop, call and return with the stack itself (a memory operand
 * of push is not left out), addresses that are only computed (lea), hints (prefetch) and operands
 * of no-operations.  A string instruction with a repeat prefix traps after each round, so one
 * step is one element, and none when the count is zero.
 */
#ifndef AUDIT_DECODE_H
#define AUDIT_DECODE_H

#include <Zydis/Zydis.h>
#include <sys/user.h>

#include "image.h"

struct access {
	uint64_t address;
	uint32_t size;
	bool is_write;
};

struct instruction {
	ZydisDecodedInstruction decoded;
	ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
	struct access accesses[8];
	size_t access_count;
	bool is_transfer; /* a call or a jump */
};

static inline uint64_t decode_register(const struct user_regs_struct *r, ZydisRegister reg)
{
	switch (ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64, reg)) {
	case ZYDIS_REGISTER_RAX:
		return r->rax;
	case ZYDIS_REGISTER_RBX:
		return r->rbx;
	case ZYDIS_REGISTER_RCX:
		return r->rcx;
	case ZYDIS_REGISTER_RDX:
		return r->rdx;
	case ZYDIS_REGISTER_RSI:
		return r->rsi;
	case ZYDIS_REGISTER_RDI:
		return r->rdi;
	case ZYDIS_REGISTER_RBP:
		return r->rbp;
	case ZYDIS_REGISTER_RSP:
		return r->rsp;
	case ZYDIS_REGISTER_R8:
		return r->r8;
	case ZYDIS_REGISTER_R9:
		return r->r9;
	case ZYDIS_REGISTER_R10:
		return r->r10;
	case ZYDIS_REGISTER_R11:
		return r->r11;
	case ZYDIS_REGISTER_R12:
		return r->r12;
	case ZYDIS_REGISTER_R13:
		return r->r13;
	case ZYDIS_REGISTER_R14:
		return r->r14;
	case ZYDIS_REGISTER_R15:
		return r->r15;
	case ZYDIS_REGISTER_NONE:
		return 0;
	default:
		die("an address uses a register that is not modelled", ZydisRegisterGetString(reg));
	}
}

static inline uint64_t decode_address(const struct instruction *in, const ZydisDecodedOperandMem *m,
				      const struct user_regs_struct *r)
{
	uint64_t address = m->disp.has_displacement ? (uint64_t)m->disp.value : 0;
	if (m->base == ZYDIS_REGISTER_RIP)
		address += r->rip + in->decoded.length;
	else
		address += decode_register(r, m->base);
	address += decode_register(r, m->index) * m->scale;
	if (in->decoded.address_width == 32)
		address = (uint32_t)address;
	if (m->segment == ZYDIS_REGISTER_FS)
		address += r->fs_base;
	if (m->segment == ZYDIS_REGISTER_GS)
		address += r->gs_base;
	return address;
}

/* The stack traffic that an instruction of these kinds makes by itself is never shared data. */
static inline bool decode_uses_stack_itself(ZydisInstructionCategory category)
{
	return category == ZYDIS_CATEGORY_PUSH || category == ZYDIS_CATEGORY_POP ||
	       category == ZYDIS_CATEGORY_CALL || category == ZYDIS_CATEGORY_RET;
}

static inline bool decode_touches_nothing(const ZydisDecodedInstruction *d)
{
	return d->meta.category == ZYDIS_CATEGORY_NOP ||
	       d->meta.category == ZYDIS_CATEGORY_WIDENOP ||
	       d->meta.category == ZYDIS_CATEGORY_PREFETCH || d->mnemonic == ZYDIS_MNEMONIC_LEA;
}

static inline void decode_add(struct instruction *in, uint64_t address, uint32_t size,
			      bool is_write)
{
	if (in->access_count == sizeof(in->accesses) / sizeof(in->accesses[0]))
		die("an instruction with too many accesses", NULL);
	in->accesses[in->access_count++] = (struct access){ address, size, is_write };
}

/* Decode at an address of the image; regs are those of the process before the instruction. */
static inline void decode_instruction(struct instruction *in, const struct image *im,
				      uint64_t address, const struct user_regs_struct *regs)
{
	static ZydisDecoder decoder;
	if (!decoder.stack_width)
		ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
	size_t len;
	const unsigned char *code = image_code(im, address, &len);
	if (!code ||
	    !ZYAN_SUCCESS(ZydisDecoderDecodeFull(&decoder, code, len, &in->decoded, in->operands)))
		die("cannot decode an instruction", NULL);
	const ZydisDecodedInstruction *d = &in->decoded;
	in->access_count = 0;
	in->is_transfer = d->meta.category == ZYDIS_CATEGORY_CALL ||
			  d->meta.category == ZYDIS_CATEGORY_UNCOND_BR ||
			  d->meta.category == ZYDIS_CATEGORY_COND_BR;
	bool has_repeat = d->attributes &
			  (ZYDIS_ATTRIB_HAS_REP | ZYDIS_ATTRIB_HAS_REPE | ZYDIS_ATTRIB_HAS_REPNE);
	if (decode_touches_nothing(d) || (has_repeat && regs->rcx == 0))
		return;
	/* Loads first: an instruction that does both reads before it writes. */
	for (int is_write = 0; is_write <= 1; is_write++) {
		for (unsigned i = 0; i < d->operand_count; i++) {
			const ZydisDecodedOperand *o = &in->operands[i];
			bool happens = is_write ? o->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE
						: o->actions & ZYDIS_OPERAND_ACTION_MASK_READ;
			if (!happens || o->type != ZYDIS_OPERAND_TYPE_MEMORY ||
			    o->mem.type != ZYDIS_MEMOP_TYPE_MEM)
				continue;
			if (o->visibility == ZYDIS_OPERAND_VISIBILITY_HIDDEN &&
			    decode_uses_stack_itself(d->meta.category))
				continue;
			decode_add(in, decode_address(in, &o->mem, regs), (o->size + 7) / 8,
				   is_write);
		}
	}
}

/* The instruction as text, for reports. */
static inline void decode_print(const struct instruction *in, uint64_t address, char *out,
				size_t size)
{
	static ZydisFormatter formatter;
	static bool is_ready;
	if (!is_ready)
		ZydisFormatterInit(&formatter, ZYDIS_FORMATTER_STYLE_ATT);
	is_ready = true;
	ZydisFormatterFormatInstruction(&formatter, &in->decoded, in->operands,
					in->decoded.operand_count_visible, out, size, address,
					NULL);
}

#endif
