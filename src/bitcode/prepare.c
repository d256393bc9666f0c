/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Jump threading, rotation of loops and others copy code.  A copied call of a synchronisation
 * function is one place of the source with two numbers, so schedules that differ in nothing else
 * would be different.  The attribute noduplicate on these functions, and on all functions that call
 * them, keeps one copy of each call.
 *
 * Numbers are given after optimising, in the order of the bitcode that is kept: each is unique
 * within the unit and stays for as long as this bitcode is used.
 */
#include "bitcode/prepare.h"

#include <llvm-c/Transforms/PassBuilder.h>
#include <string.h>

#include "base/buf.h"
#include "bitcode/load.h"

static bool is_synchronisation(const char *name)
{
	static const char *const starts[] = { "pthread_", "sem_",      "mtx_",	 "cnd_",
					      "thrd_",	  "call_once", "heddle_" };
	for (size_t i = 0; i < sizeof(starts) / sizeof(*starts); i++)
		if (!strncmp(name, starts[i], strlen(starts[i])))
			return true;
	return false;
}

static LLVMAttributeRef noduplicate(LLVMModuleRef m)
{
	static const char name[] = "noduplicate";
	return LLVMCreateEnumAttribute(LLVMGetModuleContext(m),
				       LLVMGetEnumAttributeKindForName(name, sizeof(name) - 1), 0);
}

static bool is_marked(LLVMValueRef f, LLVMAttributeRef a)
{
	return LLVMGetEnumAttributeAtIndex(f, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
					   LLVMGetEnumAttributeKind(a));
}

static bool calls_marked(LLVMValueRef f, LLVMAttributeRef a)
{
	for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
		for (LLVMValueRef v = LLVMGetFirstInstruction(b); v;
		     v = LLVMGetNextInstruction(v)) {
			LLVMValueRef callee = LLVMIsACallInst(v) ? LLVMGetCalledValue(v) : NULL;
			if (callee && LLVMIsAFunction(callee) && is_marked(callee, a))
				return true;
		}
	return false;
}

static void mark_synchronisation(LLVMModuleRef m)
{
	LLVMAttributeRef a = noduplicate(m);
	for (bool is_changed = true; is_changed;) {
		is_changed = false;
		for (LLVMValueRef f = LLVMGetFirstFunction(m); f; f = LLVMGetNextFunction(f)) {
			size_t len;
			const char *name = LLVMGetValueName2(f, &len);
			if (is_marked(f, a) || !(is_synchronisation(name) || calls_marked(f, a)))
				continue;
			LLVMAddAttributeAtIndex(f, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
						a);
			is_changed = true;
		}
	}
}

static int run_passes(LLVMModuleRef m, const char *passes, struct err *err)
{
	LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions();
	/* Operations on vectors have no form in src/ir. */
	LLVMPassBuilderOptionsSetLoopVectorization(options, 0);
	LLVMPassBuilderOptionsSetSLPVectorization(options, 0);
	LLVMErrorRef failed = LLVMRunPasses(m, passes, NULL, options);
	LLVMDisposePassBuilderOptions(options);
	if (!failed)
		return 0;
	char *text = LLVMGetErrorMessage(failed);
	int rc = err_set(err, ERR_FORMAT, "LLVM's passes %s: %s", passes, text);
	LLVMDisposeErrorMessage(text);
	return rc;
}

static int optimise(LLVMModuleRef m, const char *level, struct err *err)
{
	struct buf passes = { 0 };
	/* Variables stay in memory only if their address is taken. */
	if (!strcmp(level, "0"))
		buf_str(&passes, "function(mem2reg)");
	else
		buf_printf(&passes, "default<O%s>", level);
	buf_str(&passes, ",function(scalarizer,dce),strip-dead-prototypes");
	int rc = run_passes(m, passes.at, err);
	buf_release(&passes);
	return rc;
}

static bool has_site(LLVMValueRef v)
{
	switch (LLVMGetInstructionOpcode(v)) {
	case LLVMLoad:
	case LLVMStore:
	case LLVMAtomicRMW:
	case LLVMAtomicCmpXchg:
	case LLVMFence:
	case LLVMSwitch:
		return true;
	case LLVMBr:
		return LLVMIsConditional(v);
	case LLVMCall:
		return !load_is_ignored(LLVMGetCalledValue(v));
	default:
		return false;
	}
}

static void number_sites(LLVMModuleRef m, const char *unit)
{
	static const char kind_name[] = "heddle.site", attribute[] = "heddle-unit";
	LLVMContextRef c = LLVMGetModuleContext(m);
	unsigned kind = LLVMGetMDKindIDInContext(c, kind_name, sizeof(kind_name) - 1);
	unsigned next = 0;
	for (LLVMValueRef f = LLVMGetFirstFunction(m); f; f = LLVMGetNextFunction(f)) {
		if (!LLVMCountBasicBlocks(f))
			continue;
		LLVMAttributeRef a = LLVMCreateStringAttribute(c, attribute, sizeof(attribute) - 1,
							       unit, (unsigned)strlen(unit));
		LLVMAddAttributeAtIndex(f, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, a);
		for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b;
		     b = LLVMGetNextBasicBlock(b))
			for (LLVMValueRef v = LLVMGetFirstInstruction(b); v;
			     v = LLVMGetNextInstruction(v)) {
				if (!has_site(v))
					continue;
				LLVMValueRef n = LLVMConstInt(LLVMInt32TypeInContext(c), next++, 0);
				LLVMMetadataRef value = LLVMValueAsMetadata(n);
				LLVMMetadataRef node = LLVMMDNodeInContext2(c, &value, 1);
				LLVMSetMetadata(v, kind, LLVMMetadataAsValue(c, node));
			}
	}
}

int bitcode_prepare(LLVMModuleRef m, const char *level, const char *unit, struct err *err)
{
	mark_synchronisation(m);
	int rc = optimise(m, level, err);
	if (!rc)
		number_sites(m, unit);
	return rc;
}
