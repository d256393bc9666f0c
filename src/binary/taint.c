/* SPDX-License-Identifier: Apache-2.0 */
/* Forward taint analysis of one value in one function; see taint.h. */
#include "binary/taint.h"

#include <stdio.h>
#include <string.h>

#include "base/hash.h"

#define MAX_INSTRUCTIONS 2000 /* after one source, all paths together */

enum { RAX, RCX, RDX, RBX, RSP, RBP, RSI, RDI, R8, R9, R10, R11, R12, R13, R14, R15 };
#define BIT(r) (1u << (r))
#define ARGUMENTS (BIT(RDI) | BIT(RSI) | BIT(RDX) | BIT(RCX) | BIT(R8) | BIT(R9) | BIT(R10))
#define CLOBBERED (ARGUMENTS | BIT(RAX) | BIT(R11))
#define RESULTS (BIT(RAX) | BIT(RDX))
#define CALLEE_SAVED (BIT(RBX) | BIT(RSP) | BIT(RBP) | BIT(R12) | BIT(R13) | BIT(R14) | BIT(R15))

/* ---- operands ---- */

static int index_of(ZydisRegister r)
{
	ZydisRegister wide = ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64, r);
	return ZydisRegisterGetClass(wide) == ZYDIS_REGCLASS_GPR64 ? ZydisRegisterGetId(wide) : -1;
}

static bool is_tainted(const struct taint *t, ZydisRegister r)
{
	int i = index_of(r);
	return i >= 0 && t->registers & BIT(i);
}

static bool is_frame_register(ZydisRegister r)
{
	int i = index_of(r);
	return i == RSP || i == RBP;
}

static bool is_register(const ZydisDecodedOperand *o, ZydisRegister r)
{
	return o->type == ZYDIS_OPERAND_TYPE_REGISTER && o->reg.value == r;
}

static bool is_memory(const ZydisDecodedOperand *o)
{
	return o->type == ZYDIS_OPERAND_TYPE_MEMORY && o->mem.type != ZYDIS_MEMOP_TYPE_AGEN;
}

static bool is_slot(const ZydisDecodedOperand *o)
{
	return is_memory(o) && o->mem.base == ZYDIS_REGISTER_RBP &&
	       o->mem.index == ZYDIS_REGISTER_NONE;
}

static struct slot slot_of(const ZydisDecodedOperand *o)
{
	return (struct slot){ o->mem.disp.value, o->size / 8 };
}

/* ---- frames ---- */

/* Instructions of prologues and epilogues that change the frame registers. */
static bool keeps_frame(const struct sym_instruction *in)
{
	const ZydisDecodedOperand *to = &in->operands[0], *from = &in->operands[1];
	switch (in->base.mnemonic) {
	case ZYDIS_MNEMONIC_PUSH:
	case ZYDIS_MNEMONIC_POP:
		return is_register(to, ZYDIS_REGISTER_RBP);
	case ZYDIS_MNEMONIC_MOV:
		return (is_register(to, ZYDIS_REGISTER_RBP) &&
			is_register(from, ZYDIS_REGISTER_RSP)) ||
		       (is_register(to, ZYDIS_REGISTER_RSP) &&
			is_register(from, ZYDIS_REGISTER_RBP));
	case ZYDIS_MNEMONIC_ADD:
	case ZYDIS_MNEMONIC_SUB:
	case ZYDIS_MNEMONIC_AND:
		return is_register(to, ZYDIS_REGISTER_RSP) &&
		       from->type == ZYDIS_OPERAND_TYPE_IMMEDIATE;
	case ZYDIS_MNEMONIC_LEA:
		return is_register(to, ZYDIS_REGISTER_RSP) &&
		       from->mem.base == ZYDIS_REGISTER_RBP &&
		       from->mem.index == ZYDIS_REGISTER_NONE;
	default:
		return false;
	}
}

/* Whether the instruction uses a frame register other than to access one fixed slot of the frame.
 */
static bool exposes_frame(const struct sym_instruction *in)
{
	for (unsigned i = 0; i < in->base.operand_count_visible; i++) {
		const ZydisDecodedOperand *o = &in->operands[i];
		bool exposes =
			o->type == ZYDIS_OPERAND_TYPE_REGISTER && is_frame_register(o->reg.value);
		if (o->type == ZYDIS_OPERAND_TYPE_MEMORY)
			exposes = is_frame_register(o->mem.index) ||
				  (is_frame_register(o->mem.base) &&
				   (!is_memory(o) || o->mem.index != ZYDIS_REGISTER_NONE));
		if (exposes && !keeps_frame(in))
			return true;
	}
	return false;
}

/* The hook that a call targets, with the kind of the usual form for a late form.  HOOK_NONE: not
 * a hook. */
static struct hook hook_of(const struct taint_walk *w, const struct sym_instruction *in)
{
	const struct hook *hook = calls_hook(w->calls, in);
	size_t prefix = strlen(HOOK_LATE_PREFIX);
	char usual[64];
	if (!hook)
		return (struct hook){ 0 };
	if (strncmp(hook->name, HOOK_LATE_PREFIX, prefix))
		return *hook;
	snprintf(usual, sizeof(usual), "__tsan_%s", hook->name + prefix);
	struct hook of_usual = hook_by_name(usual);
	of_usual.name = hook->name;
	return of_usual;
}

/* Whether the instruction passes a frame address to the access hook that the next instruction
 * calls. */
static bool is_for_hook(const struct taint_walk *w, const struct sym_instruction *in)
{
	const ZydisDecodedOperand *from = &in->operands[1];
	struct sym_instruction next;
	if (in->base.mnemonic != ZYDIS_MNEMONIC_LEA ||
	    !is_register(&in->operands[0], ZYDIS_REGISTER_RDI) ||
	    from->mem.base != ZYDIS_REGISTER_RBP || from->mem.index != ZYDIS_REGISTER_NONE ||
	    !code_decode(w->code, in->address + in->base.length, w->end, &next) ||
	    !code_is_call(&next))
		return false;
	struct hook hook = hook_of(w, &next);
	return hook.kind == HOOK_READ || hook.kind == HOOK_WRITE;
}

bool taint_begin(struct taint_walk *w, uint64_t start)
{
	const struct code *c = w->code;
	uint64_t end = w->end;
	struct sym_instruction in;
	unsigned number = 0;
	w->frame_is_private = true;
	for (uint64_t at = start; at < end; at += in.base.length) {
		if (!code_decode(c, at, end, &in))
			return false;
		if (in.base.mnemonic == ZYDIS_MNEMONIC_ENDBR64 && !number)
			continue;
		number++;
		bool is_push = in.base.mnemonic == ZYDIS_MNEMONIC_PUSH &&
			       is_register(&in.operands[0], ZYDIS_REGISTER_RBP);
		bool is_move = in.base.mnemonic == ZYDIS_MNEMONIC_MOV && keeps_frame(&in) &&
			       is_register(&in.operands[0], ZYDIS_REGISTER_RBP);
		if (is_push != (number == 1) || is_move != (number == 2))
			return false;
		w->frame_is_private &= !exposes_frame(&in) || is_for_hook(w, &in);
		if (code_is_jump(&in) &&
		    (!code_is_direct(&in) || code_target(&in) < start || code_target(&in) >= end))
			return false;
	}
	return true;
}

/* ---- instructions ---- */

/* Instructions whose only effect is a result in their operands and the flags. */
static bool only_computes(ZydisMnemonic m)
{
	switch (m) {
	case ZYDIS_MNEMONIC_MOV:
	case ZYDIS_MNEMONIC_MOVZX:
	case ZYDIS_MNEMONIC_MOVSX:
	case ZYDIS_MNEMONIC_MOVSXD:
	case ZYDIS_MNEMONIC_ADD:
	case ZYDIS_MNEMONIC_SUB:
	case ZYDIS_MNEMONIC_AND:
	case ZYDIS_MNEMONIC_OR:
	case ZYDIS_MNEMONIC_XOR:
	case ZYDIS_MNEMONIC_NOT:
	case ZYDIS_MNEMONIC_NEG:
	case ZYDIS_MNEMONIC_SHL:
	case ZYDIS_MNEMONIC_SHR:
	case ZYDIS_MNEMONIC_SAR:
	case ZYDIS_MNEMONIC_IMUL:
	case ZYDIS_MNEMONIC_LEA:
	case ZYDIS_MNEMONIC_CMP:
	case ZYDIS_MNEMONIC_TEST:
	case ZYDIS_MNEMONIC_INC:
	case ZYDIS_MNEMONIC_DEC:
	case ZYDIS_MNEMONIC_CDQE:
	case ZYDIS_MNEMONIC_CWDE:
	case ZYDIS_MNEMONIC_CDQ:
	case ZYDIS_MNEMONIC_CQO:
		return true;
	default:
		return false;
	}
}

static bool sets_all_flags(ZydisMnemonic m)
{
	return m == ZYDIS_MNEMONIC_CMP || m == ZYDIS_MNEMONIC_TEST || m == ZYDIS_MNEMONIC_ADD ||
	       m == ZYDIS_MNEMONIC_SUB || m == ZYDIS_MNEMONIC_AND || m == ZYDIS_MNEMONIC_OR ||
	       m == ZYDIS_MNEMONIC_XOR;
}

/* xor and sub of a register with itself: the result is 0. */
static bool clears(const struct sym_instruction *in)
{
	const ZydisDecodedOperand *a = &in->operands[0], *b = &in->operands[1];
	return (in->base.mnemonic == ZYDIS_MNEMONIC_XOR ||
		in->base.mnemonic == ZYDIS_MNEMONIC_SUB) &&
	       a->type == ZYDIS_OPERAND_TYPE_REGISTER && b->type == ZYDIS_OPERAND_TYPE_REGISTER &&
	       a->reg.value == b->reg.value;
}

enum input { INPUT_CLEAN, INPUT_TAINTED, INPUT_UNKNOWN };

static enum input load_from(struct taint *t, const struct sym_instruction *in,
			    const ZydisDecodedOperand *o)
{
	if (is_slot(o)) {
		struct slot s = slot_of(o);
		for (unsigned i = 0; i < t->slots_count; i++)
			if (s.at < t->slots[i].at + t->slots[i].size &&
			    t->slots[i].at < s.at + s.size)
				return INPUT_TAINTED;
		return INPUT_CLEAN;
	}
	if (is_frame_register(o->mem.base)) {
		/* pop and leave restore saved registers.  Any other access may alias a tainted
		 * slot. */
		bool is_restored = in->base.mnemonic == ZYDIS_MNEMONIC_POP ||
				   in->base.mnemonic == ZYDIS_MNEMONIC_LEAVE;
		return is_restored || !t->slots_count ? INPUT_CLEAN : INPUT_UNKNOWN;
	}
	if (t->has_passed_call)
		return INPUT_CLEAN;
	t->is_loaded = true;
	return INPUT_TAINTED;
}

/* Whether an instruction other than a call or jump reads the value. */
static enum input inputs(struct taint *t, const struct sym_instruction *in)
{
	bool has_value = false;
	for (unsigned i = 0; i < in->base.operand_count; i++) {
		const ZydisDecodedOperand *o = &in->operands[i];
		bool reads = o->actions & ZYDIS_OPERAND_ACTION_MASK_READ;
		if (o->type == ZYDIS_OPERAND_TYPE_REGISTER && reads)
			has_value |= is_tainted(t, o->reg.value);
		if (o->type != ZYDIS_OPERAND_TYPE_MEMORY)
			continue;
		bool has_address = is_tainted(t, o->mem.base) || is_tainted(t, o->mem.index);
		if (!is_memory(o)) {
			has_value |= has_address;
			continue;
		}
		enum input loaded = has_address ? INPUT_UNKNOWN
				    : reads	? load_from(t, in, o)
						: INPUT_CLEAN;
		if (loaded == INPUT_UNKNOWN)
			return loaded;
		has_value |= loaded == INPUT_TAINTED;
	}
	return has_value ? INPUT_TAINTED : INPUT_CLEAN;
}

/* Taint an output operand; false if writing there is a use of the value. */
static bool taint_operand(struct taint_walk *w, struct taint *t, const ZydisDecodedOperand *o)
{
	if (o->type == ZYDIS_OPERAND_TYPE_REGISTER) {
		int i = index_of(o->reg.value);
		ZydisRegisterClass class = ZydisRegisterGetClass(o->reg.value);
		if (i < 0)
			return class == ZYDIS_REGCLASS_FLAGS;
		t->registers |= BIT(i);
		return !is_frame_register(o->reg.value);
	}
	if (!is_slot(o)) {
		bool is_local = is_frame_register(o->mem.base) || is_frame_register(o->mem.index) ||
				o->mem.segment == ZYDIS_REGISTER_FS ||
				o->mem.segment == ZYDIS_REGISTER_GS;
		return w->store && !is_local && w->store(w->ctx, t, o->size / 8);
	}
	if (!w->frame_is_private)
		return false;
	struct slot s = slot_of(o);
	for (unsigned i = 0; i < t->slots_count; i++)
		if (t->slots[i].at == s.at && t->slots[i].size == s.size)
			return true;
	if (t->slots_count == TAINT_SLOTS)
		return false;
	t->slots[t->slots_count++] = s;
	return true;
}

static void clean_operand(struct taint *t, const ZydisDecodedOperand *o)
{
	if (o->type == ZYDIS_OPERAND_TYPE_REGISTER) {
		int i = index_of(o->reg.value);
		if (i >= 0 && o->size >= 32)
			t->registers &= ~BIT(i);
		return;
	}
	unsigned kept = 0;
	struct slot s = is_slot(o) ? slot_of(o) : (struct slot){ 0, 0 };
	for (unsigned i = 0; i < t->slots_count; i++)
		if (t->slots[i].at < s.at || t->slots[i].at + t->slots[i].size > s.at + s.size)
			t->slots[kept++] = t->slots[i];
	t->slots_count = kept;
}

/* Propagate the taint through one instruction; false if it uses the value. */
static bool step_instruction(struct taint_walk *w, struct taint *t,
			     const struct sym_instruction *in)
{
	const ZydisAccessedFlags *flags = in->base.cpu_flags;
	ZydisInstructionCategory c = in->base.meta.category;
	/* their operands are not accessed */
	if (c == ZYDIS_CATEGORY_NOP || c == ZYDIS_CATEGORY_WIDENOP)
		return true;
	if (c == ZYDIS_CATEGORY_SYSCALL || c == ZYDIS_CATEGORY_INTERRUPT ||
	    (flags && flags->tested && t->flags))
		return false;
	enum input input = inputs(t, in);
	if (input == INPUT_TAINTED && clears(in))
		input = INPUT_CLEAN;
	if (input == INPUT_UNKNOWN || (input == INPUT_TAINTED && !only_computes(in->base.mnemonic)))
		return false;
	for (unsigned i = 0; i < in->base.operand_count; i++) {
		const ZydisDecodedOperand *o = &in->operands[i];
		if (o->type != ZYDIS_OPERAND_TYPE_REGISTER && !is_memory(o))
			continue;
		if (input == INPUT_TAINTED && o->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE &&
		    !taint_operand(w, t, o))
			return false;
		if (input == INPUT_CLEAN && o->actions & ZYDIS_OPERAND_ACTION_WRITE)
			clean_operand(t, o);
	}
	if (input == INPUT_TAINTED)
		t->flags |=
			flags && (flags->modified | flags->undefined | flags->set_0 | flags->set_1);
	else if (sets_all_flags(in->base.mnemonic))
		t->flags = false;
	return true;
}

/* ---- paths ---- */

/*
 * Whether a call leaves the program's own code.  Such a function may change all caller-saved
 * registers. (Compilers may know of a local function that it preserves some of them.)
 */
static bool is_outside(const struct taint_walk *w, const struct sym_instruction *in)
{
	const struct image *img = w->calls->img;
	uint64_t target = code_is_direct(in) ? code_target(in) : 0;
	for (size_t i = 1; i < img->sections.len && target; i++)
		if (target - img->sections.at[i].sh_addr < img->sections.at[i].sh_size)
			return !calls_covers_section(w->calls, i);
	return false;
}

/* Record a write hook of the path, newest first. */
static void note_write(struct taint *t, uint64_t after, unsigned size)
{
	for (unsigned i = TAINT_WRITES - 1; i; i--)
		t->writes[i] = t->writes[i - 1];
	t->writes[0] = (struct taint_write){ after, size };
	t->writes_count += t->writes_count < TAINT_WRITES;
}

/*
 * Propagate the taint through a call that returns; false if the callee may use the value.
 * `is_of_frame`: the callee is a hook that reports an access to the function's own frame.
 */
static bool step_call(const struct taint_walk *w, struct taint *t, const struct sym_instruction *in,
		      bool is_of_frame)
{
	struct hook hook = hook_of(w, in);
	uint32_t arguments = ARGUMENTS;
	if (hook.kind == HOOK_READ || hook.kind == HOOK_WRITE)
		arguments = BIT(RDI) | (hook.size ? 0 : BIT(RSI));
	else if (hook.kind == HOOK_BRANCH)
		arguments = BIT(RDI);
	else if (hook.kind && !strcmp(hook.name, "__tsan_func_exit"))
		arguments = 0;
	const ZydisDecodedOperand *to = &in->operands[0];
	bool is_tainted_target =
		(to->type == ZYDIS_OPERAND_TYPE_REGISTER && is_tainted(t, to->reg.value)) ||
		(to->type == ZYDIS_OPERAND_TYPE_MEMORY &&
		 (is_tainted(t, to->mem.base) || is_tainted(t, to->mem.index)));
	if (!t->is_loaded || t->registers & arguments || is_tainted_target)
		return false;
	if (hook.kind || (w->store && is_outside(w, in)))
		t->registers &= ~CLOBBERED;
	t->has_passed_call = true;
	if (w->store && hook.kind == HOOK_WRITE && !is_of_frame)
		note_write(t, in->address + in->base.length, hook.size);
	if (w->store && !hook.kind)
		t->may_be_stale |= in->address + in->base.length == w->source ||
				   !map_get(w->leaves, code_target(in));
	return true;
}

/* Add a path to follow, unless one with the same state was added before. */
static void add_path(struct taint_walk *w, struct taint t, uint64_t where)
{
	bool is_new;
	t.where = where;
	uint64_t key =
		hash_mix(hash_mix(where, t.registers),
			 t.flags | t.is_loaded << 1 | t.has_passed_call << 2 | t.may_be_stale << 3);
	for (unsigned i = 0; i < t.slots_count; i++)
		key = hash_mix(hash_mix(key, (uint64_t)t.slots[i].at), (uint64_t)t.slots[i].size);
	for (unsigned i = 0; i < t.writes_count; i++)
		key = hash_mix(key, t.writes[i].after);
	map_put(&w->seen, key, &is_new);
	if (is_new)
		vec_push(&w->open, t);
}

/* Whether no place holds the value any more. */
static bool is_dead(const struct taint *t)
{
	return t->has_passed_call && !t->registers && !t->flags && !t->slots_count;
}

/* Follow one path to its next branch or its end; false if it uses the value. */
static bool follow(struct taint_walk *w, struct taint t)
{
	struct sym_instruction in;
	bool is_of_frame = false;
	while (!is_dead(&t)) {
		if (w->instructions++ == MAX_INSTRUCTIONS || t.where >= w->end ||
		    !code_decode(w->code, t.where, w->end, &in))
			return false;
		t.where += in.base.length;
		if (in.base.meta.category == ZYDIS_CATEGORY_RET)
			return t.is_loaded && !(t.registers & (RESULTS | CALLEE_SAVED));
		if (code_never_falls_through(&in) && !code_is_jump(&in))
			return true;
		if (code_is_jump(&in)) {
			bool is_used = code_is_conditional(&in) && t.flags;
			for (unsigned i = 0; i < in.base.operand_count && !is_used; i++)
				is_used = in.operands[i].type == ZYDIS_OPERAND_TYPE_REGISTER &&
					  is_tainted(&t, in.operands[i].reg.value);
			if (is_used)
				return false;
			add_path(w, t, code_target(&in));
			if (code_is_conditional(&in))
				add_path(w, t, t.where);
			return true;
		}
		if (!(code_is_call(&in) ? step_call(w, &t, &in, is_of_frame)
					: step_instruction(w, &t, &in)))
			return false;
		is_of_frame = is_for_hook(w, &in);
	}
	return true;
}

bool taint_is_unused(struct taint_walk *w, const struct taint *from)
{
	bool is_unused = true;
	w->open.len = 0;
	w->instructions = 0;
	map_clear(&w->seen);
	add_path(w, *from, from->where);
	while (w->open.len && is_unused) {
		struct taint t = vec_last(&w->open);
		w->open.len--;
		is_unused = follow(w, t);
	}
	return is_unused;
}

void taint_end(struct taint_walk *w)
{
	vec_release(&w->open);
	map_release(&w->seen);
}
