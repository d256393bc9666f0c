/* SPDX-License-Identifier: Apache-2.0 */
/* Types, constants and symbols of a module. */
#include "bitcode/load.h"

#include <stdlib.h>
#include <string.h>

static uint64_t key(const void *object)
{
	return (uint64_t)(uintptr_t)object;
}

void load_refuse(struct loader *l, const char *what, LLVMValueRef value)
{
	if (l->rc)
		return;
	char *text = value ? LLVMPrintValueToString(value) : NULL;
	l->rc = err_set(l->err, ERR_SUPPORT, "heddle does not support %s%s%.300s", what,
			text ? ": " : "", text ? text : "");
	LLVMDisposeMessage(text);
}

static void load_struct(struct loader *l, LLVMTypeRef from, struct ir_type *t)
{
	if (LLVMIsOpaqueStruct(from)) {
		load_refuse(l, "an object of incomplete type", NULL);
		return;
	}
	for (unsigned i = 0; i < LLVMCountStructElementTypes(from); i++) {
		struct ir_field field = { load_type(l, LLVMStructGetTypeAtIndex(from, i)),
					  LLVMOffsetOfElement(l->layout, from, i) };
		vec_push(&t->fields, field);
	}
	t->size = LLVMABISizeOfType(l->layout, from);
	t->align = LLVMABIAlignmentOfType(l->layout, from);
}

static void describe_type(struct loader *l, LLVMTypeRef from, struct ir_type *t)
{
	switch (LLVMGetTypeKind(from)) {
	case LLVMVoidTypeKind:
		t->kind = IR_VOID;
		return;
	case LLVMFloatTypeKind:
		t->kind = IR_F32;
		return;
	case LLVMDoubleTypeKind:
		t->kind = IR_F64;
		return;
	case LLVMX86_FP80TypeKind:
		t->kind = IR_F80;
		return;
	case LLVMIntegerTypeKind:
		t->kind = IR_INT;
		t->bits = LLVMGetIntTypeWidth(from);
		return;
	case LLVMPointerTypeKind:
		t->kind = IR_PTR;
		if (LLVMGetPointerAddressSpace(from))
			load_refuse(l, "another address space", NULL);
		return;
	case LLVMArrayTypeKind:
		t->kind = IR_ARRAY;
		t->element = load_type(l, LLVMGetElementType(from));
		t->count = LLVMGetArrayLength2(from);
		return;
	case LLVMVectorTypeKind:
		t->kind = IR_VECTOR;
		t->element = load_type(l, LLVMGetElementType(from));
		t->count = LLVMGetVectorSize(from);
		return;
	case LLVMStructTypeKind:
		t->kind = IR_STRUCT;
		load_struct(l, from, t);
		return;
	default:
		break;
	}
	char *text = LLVMPrintTypeToString(from);
	struct buf what = { 0 };
	buf_printf(&what, "the type %s", text);
	load_refuse(l, what.at, NULL);
	buf_release(&what);
	LLVMDisposeMessage(text);
}

/* LLVM has each type once, so equal types get one number. */
uint32_t load_type(struct loader *l, LLVMTypeRef from)
{
	uint64_t *known = map_get(&l->types, key(from));
	if (known)
		return (uint32_t)*known;
	struct ir_type t = { 0 };
	describe_type(l, from, &t);
	if (!l->rc && !ir_type_layout(l->m, &t))
		load_refuse(l, "a type of this size", NULL);
	if (l->rc) {
		vec_release(&t.fields);
		return 0;
	}
	vec_push(&l->m->types, t);
	*map_put(&l->types, key(from), NULL) = l->m->types.len - 1;
	return (uint32_t)l->m->types.len - 1;
}

uint32_t load_int_type(struct loader *l, unsigned bits)
{
	return load_type(l, LLVMIntTypeInContext(LLVMGetModuleContext(l->from), bits));
}

uint32_t load_pointer_type(struct loader *l)
{
	return load_type(l, LLVMPointerTypeInContext(LLVMGetModuleContext(l->from), 0));
}

uint32_t load_int_const(struct loader *l, uint32_t type, uint64_t value)
{
	vec_push(&l->m->consts,
		 ((struct ir_const){ .kind = IR_C_INT, .type = type, .low = value }));
	return (uint32_t)l->m->consts.len - 1;
}

/* LLVM's C interface gives integers above 64 bits and long floats as text only. */
static void parse_wide(LLVMValueRef v, struct ir_const *c)
{
	char *text = LLVMPrintValueToString(v);
	const char *s = strchr(text, ' ');
	s = s ? s + 1 : text;
	if (!strncmp(s, "0xK", 3)) {
		char high[5] = { 0 };
		memcpy(high, s + 3, 4);
		c->high = strtoull(high, NULL, 16);
		c->low = strtoull(s + 7, NULL, 16);
	} else {
		unsigned __int128 n = 0;
		bool is_negative = *s == '-';
		for (s += is_negative; *s >= '0' && *s <= '9'; s++)
			n = n * 10 + (unsigned)(*s - '0');
		if (is_negative)
			n = -n;
		unsigned bits = LLVMGetIntTypeWidth(LLVMTypeOf(v));
		if (bits < 128)
			n &= ((unsigned __int128)1 << bits) - 1;
		c->low = (uint64_t)n;
		c->high = (uint64_t)(n >> 64);
	}
	LLVMDisposeMessage(text);
}

static void load_float(LLVMValueRef v, const struct ir_type *t, struct ir_const *c)
{
	LLVMBool is_rounded;
	double d = LLVMConstRealGetDouble(v, &is_rounded);
	float f = (float)d;
	uint32_t bits;
	memcpy(&bits, &f, sizeof(bits));
	memcpy(&c->low, &d, sizeof(c->low));
	if (t->kind == IR_F32)
		c->low = bits;
}

uint64_t load_step(struct loader *l, LLVMTypeRef *t, LLVMValueRef index, bool is_first,
		   int64_t *offset)
{
	LLVMTypeKind kind = LLVMGetTypeKind(*t);
	if (!is_first && kind == LLVMStructTypeKind) {
		unsigned field = (unsigned)LLVMConstIntGetZExtValue(index);
		*offset += (int64_t)LLVMOffsetOfElement(l->layout, *t, field);
		*t = LLVMStructGetTypeAtIndex(*t, field);
		return 0;
	}
	if (!is_first)
		*t = LLVMGetElementType(*t);
	uint64_t size = LLVMABISizeOfType(l->layout, *t);
	if (!LLVMIsAConstantInt(index))
		return size ? size : 0;
	*offset += LLVMConstIntGetSExtValue(index) * (int64_t)size;
	return 0;
}

static bool fold(struct loader *l, LLVMValueRef v, struct ir_const *c);

static bool fold_path(struct loader *l, LLVMValueRef v, struct ir_const *c)
{
	int64_t offset = 0;
	LLVMTypeRef t = LLVMGetGEPSourceElementType(v);
	if (!fold(l, LLVMGetOperand(v, 0), c))
		return false;
	for (unsigned i = 1; i < (unsigned)LLVMGetNumOperands(v); i++) {
		LLVMValueRef index = LLVMGetOperand(v, i);
		if (!LLVMIsAConstantInt(index))
			return false;
		load_step(l, &t, index, i == 1, &offset);
	}
	c->low += (uint64_t)offset;
	return true;
}

static bool fold_sum(struct loader *l, LLVMValueRef v, bool is_difference, struct ir_const *c)
{
	struct ir_const b = { 0 };
	if (!fold(l, LLVMGetOperand(v, 0), c) || !fold(l, LLVMGetOperand(v, 1), &b))
		return false;
	bool is_same = c->kind == b.kind && c->index == b.index;
	if (b.kind != IR_C_INT && !(is_difference && is_same))
		return false;
	if (b.kind != IR_C_INT) {
		c->kind = IR_C_INT;
		c->index = 0;
	}
	c->low = is_difference ? c->low - b.low : c->low + b.low;
	return true;
}

/* A constant of 64 bits as an address and an offset, or a number. */
static bool fold(struct loader *l, LLVMValueRef v, struct ir_const *c)
{
	if (LLVMIsAConstantPointerNull(v))
		return true; /* the number 0 */
	if (LLVMIsAConstantInt(v)) {
		c->low = LLVMConstIntGetZExtValue(v);
		return LLVMGetIntTypeWidth(LLVMTypeOf(v)) == 64;
	}
	if (LLVMIsAGlobalAlias(v))
		return fold(l, LLVMAliasGetAliasee(v), c);
	if (LLVMIsAFunction(v) || LLVMIsAGlobalVariable(v)) {
		c->kind = LLVMIsAFunction(v) ? IR_C_FUNC : IR_C_GLOBAL;
		c->index = load_symbol(l, v);
		return c->index != IR_NONE;
	}
	if (!LLVMIsAConstantExpr(v))
		return false;
	switch (LLVMGetConstOpcode(v)) {
	case LLVMGetElementPtr:
		return fold_path(l, v, c);
	case LLVMBitCast:
	case LLVMIntToPtr:
		return fold(l, LLVMGetOperand(v, 0), c);
	case LLVMPtrToInt:
		return LLVMGetIntTypeWidth(LLVMTypeOf(v)) == 64 && fold(l, LLVMGetOperand(v, 0), c);
	case LLVMAdd:
	case LLVMSub:
		return fold_sum(l, v, LLVMGetConstOpcode(v) == LLVMSub, c);
	default:
		return false;
	}
}

static void load_list(struct loader *l, LLVMValueRef v, struct ir_const *c)
{
	const struct ir_type *t = &l->m->types.at[c->type];
	uint64_t count = t->kind == IR_STRUCT ? t->fields.len : t->count;
	size_t len;
	if (LLVMIsAConstantDataSequential(v) && t->kind == IR_ARRAY && LLVMIsConstantString(v)) {
		const char *bytes = LLVMGetAsString(v, &len);
		c->kind = IR_C_BYTES;
		for (size_t i = 0; i < len; i++)
			vec_push(&c->bytes, bytes[i]);
		return;
	}
	c->kind = IR_C_LIST;
	for (uint64_t i = 0; i < count && !l->rc; i++) {
		LLVMValueRef element = LLVMGetAggregateElement(v, (unsigned)i);
		if (!element)
			load_refuse(l, "this constant", v);
		else
			vec_push(&c->list, load_const(l, element));
	}
}

uint32_t load_const(struct loader *l, LLVMValueRef v)
{
	uint64_t *known = map_get(&l->consts, key(v));
	if (known)
		return (uint32_t)*known;
	struct ir_const c = { .type = load_type(l, LLVMTypeOf(v)) };
	if (l->rc)
		return 0;
	const struct ir_type *t = &l->m->types.at[c.type];
	if (LLVMIsUndef(v)) {
		c.kind = IR_C_UNDEF;
	} else if (LLVMIsAConstantPointerNull(v) || LLVMIsAConstantAggregateZero(v)) {
		c.kind = IR_C_ZERO;
	} else if ((LLVMIsAConstantInt(v) && t->bits > 64) ||
		   (LLVMIsAConstantFP(v) && t->kind == IR_F80)) {
		parse_wide(v, &c);
	} else if (LLVMIsAConstantInt(v)) {
		c.low = LLVMConstIntGetZExtValue(v);
	} else if (LLVMIsAConstantFP(v)) {
		load_float(v, t, &c);
	} else if (LLVMIsAConstantDataSequential(v) || LLVMIsAConstantArray(v) ||
		   LLVMIsAConstantStruct(v) || LLVMIsAConstantVector(v)) {
		load_list(l, v, &c);
	} else if (!fold(l, v, &c)) {
		load_refuse(l, "this constant", v);
	}
	vec_push(&l->m->consts, c);
	*map_put(&l->consts, key(v), NULL) = l->m->consts.len - 1;
	return (uint32_t)l->m->consts.len - 1;
}

uint32_t load_symbol(struct loader *l, LLVMValueRef v)
{
	uint64_t *known = map_get(&l->symbols, key(v));
	if (!known) {
		load_refuse(l, "this symbol", v);
		return IR_NONE;
	}
	return (uint32_t)*known;
}

static bool is_directive(const char *name)
{
	return !strncmp(name, "llvm.", 5);
}

bool load_is_ignored(LLVMValueRef callee)
{
	static const char *const names[] = { "llvm.dbg.",	    "llvm.lifetime.",
					     "llvm.assume",	    "llvm.experimental.noalias",
					     "llvm.var.annotation", "llvm.donothing",
					     "llvm.invariant.",	    "llvm.prefetch" };
	size_t len;
	const char *name = LLVMIsAFunction(callee) ? LLVMGetValueName2(callee, &len) : "";
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (!strncmp(name, names[i], strlen(names[i])))
			return true;
	return false;
}

static bool is_local(LLVMValueRef v)
{
	return LLVMGetLinkage(v) == LLVMInternalLinkage || LLVMGetLinkage(v) == LLVMPrivateLinkage;
}

static void declare_symbols(struct loader *l)
{
	size_t len;
	for (LLVMValueRef v = LLVMGetFirstGlobal(l->from); v; v = LLVMGetNextGlobal(v)) {
		const char *name = LLVMGetValueName2(v, &len);
		if (is_directive(name))
			continue;
		struct ir_global g = { .name = mem_strdup(name), .init = IR_NONE };
		g.is_const = LLVMIsGlobalConstant(v);
		g.is_tls = LLVMIsThreadLocal(v);
		g.is_internal = is_local(v);
		g.align = LLVMGetAlignment(v);
		vec_push(&l->m->globals, g);
		*map_put(&l->symbols, key(v), NULL) = l->m->globals.len - 1;
	}
	for (LLVMValueRef v = LLVMGetFirstFunction(l->from); v; v = LLVMGetNextFunction(v)) {
		const char *name = LLVMGetValueName2(v, &len);
		if (load_is_ignored(v))
			continue;
		struct ir_func f = { .name = mem_strdup(name), .unit = IR_NONE };
		LLVMTypeRef t = LLVMGlobalGetValueType(v);
		f.is_variadic = LLVMIsFunctionVarArg(t);
		f.is_internal = is_local(v);
		vec_push(&l->m->funcs, f);
		*map_put(&l->symbols, key(v), NULL) = l->m->funcs.len - 1;
	}
}

static void load_globals(struct loader *l)
{
	size_t len;
	for (LLVMValueRef v = LLVMGetFirstGlobal(l->from); v && !l->rc; v = LLVMGetNextGlobal(v)) {
		if (is_directive(LLVMGetValueName2(v, &len)))
			continue;
		uint32_t number = load_symbol(l, v);
		LLVMTypeRef t = LLVMGlobalGetValueType(v);
		bool is_incomplete =
			LLVMGetTypeKind(t) == LLVMStructTypeKind && LLVMIsOpaqueStruct(t);
		/* Of an object that is defined elsewhere only the address is used. */
		uint32_t type = is_incomplete ? load_int_type(l, 8) : load_type(l, t);
		LLVMValueRef init = LLVMGetInitializer(v);
		uint32_t value = init ? load_const(l, init) : IR_NONE;
		struct ir_global *g = &l->m->globals.at[number];
		g->type = type;
		g->init = value;
		if (!g->align && !l->rc)
			g->align = l->m->types.at[type].align;
	}
}

/* The functions of llvm.global_ctors or llvm.global_dtors, by priority. */
static void load_roots(struct loader *l, const char *name, bool is_start)
{
	LLVMValueRef list = LLVMGetNamedGlobal(l->from, name);
	LLVMValueRef init = list ? LLVMGetInitializer(list) : NULL;
	unsigned count = init && LLVMGetTypeKind(LLVMTypeOf(init)) == LLVMArrayTypeKind
				 ? LLVMGetArrayLength(LLVMTypeOf(init))
				 : 0;
	for (uint64_t from = 0, next; count && from != UINT64_MAX; from = next) {
		next = UINT64_MAX;
		for (unsigned i = 0; i < count; i++) {
			LLVMValueRef entry = LLVMGetAggregateElement(init, i);
			LLVMValueRef f = entry ? LLVMGetAggregateElement(entry, 1) : NULL;
			if (!f || !LLVMIsAFunction(f))
				continue;
			uint64_t priority =
				LLVMConstIntGetZExtValue(LLVMGetAggregateElement(entry, 0));
			if (priority > from && priority < next)
				next = priority;
			if (priority != from)
				continue;
			if (is_start)
				vec_push(&l->m->starts, load_symbol(l, f));
			else
				vec_push(&l->m->finishes, load_symbol(l, f));
		}
	}
}

static uint32_t load_unit(struct loader *l, LLVMValueRef f)
{
	static const char attribute[] = "heddle-unit";
	LLVMAttributeRef a =
		LLVMGetStringAttributeAtIndex(f, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
					      attribute, sizeof(attribute) - 1);
	unsigned len = 0;
	const char *name = a ? LLVMGetStringAttributeValue(a, &len) : "?";
	char *unit = mem_strndup(name, a ? len : 1);
	for (uint32_t i = 0; i < l->m->units.len; i++)
		if (!strcmp(l->m->units.at[i], unit)) {
			mem_free(unit);
			return i;
		}
	vec_push(&l->m->units, unit);
	return (uint32_t)l->m->units.len - 1;
}

static void load_functions(struct loader *l)
{
	for (LLVMValueRef v = LLVMGetFirstFunction(l->from); v && !l->rc;
	     v = LLVMGetNextFunction(v)) {
		size_t len;
		bool is_needed = !is_directive(LLVMGetValueName2(v, &len)) || LLVMGetFirstUse(v);
		if (load_is_ignored(v))
			continue;
		uint32_t number = load_symbol(l, v);
		LLVMTypeRef t = LLVMGlobalGetValueType(v);
		l->m->funcs.at[number].returns =
			is_needed ? load_type(l, LLVMGetReturnType(t))
				  : load_type(l,
					      LLVMVoidTypeInContext(LLVMGetModuleContext(l->from)));
		unsigned count = is_needed ? LLVMCountParamTypes(t) : 0;
		LLVMTypeRef *params = mem_zero(count + 1, sizeof(*params));
		LLVMGetParamTypes(t, params);
		for (unsigned i = 0; i < count && !l->rc; i++) {
			/* LLVM's own functions have parameters that are metadata. */
			uint32_t type = LLVMGetTypeKind(params[i]) == LLVMMetadataTypeKind
						? load_int_type(l, 8)
						: load_type(l, params[i]);
			vec_push(&l->m->funcs.at[number].params, type);
			vec_push(&l->m->funcs.at[number].registers, type);
		}
		mem_free(params);
		if (!LLVMCountBasicBlocks(v))
			continue;
		l->m->funcs.at[number].unit = load_unit(l, v);
		l->m->funcs.at[number].is_defined = true;
		load_body(l, v, number);
	}
}

int bitcode_load(LLVMModuleRef from, struct ir_module *m, struct err *err)
{
	struct loader l = { .from = from, .m = m, .err = err };
	static const char kind[] = "heddle.site";
	*m = (struct ir_module){ 0 };
	l.layout = LLVMGetModuleDataLayout(from);
	l.site_kind = LLVMGetMDKindIDInContext(LLVMGetModuleContext(from), kind, sizeof(kind) - 1);
	if (LLVMPointerSize(l.layout) != 8 || LLVMByteOrder(l.layout) != LLVMLittleEndian)
		load_refuse(&l, "another target than x86-64", NULL);
	declare_symbols(&l);
	load_globals(&l);
	load_roots(&l, "llvm.global_ctors", true);
	load_roots(&l, "llvm.global_dtors", false);
	load_functions(&l);
	map_release(&l.types);
	map_release(&l.consts);
	map_release(&l.symbols);
	map_release(&l.files);
	return l.rc;
}
