/* SPDX-License-Identifier: Apache-2.0 */
/*
 * LLVM's module into heddle's own form (ir/ir.h).  What has no such form is an error that names it:
 * exceptions, computed jumps, vectors beyond passing structs, other floats than 32, 64 and 80 bits.
 */
#ifndef HEDDLE_BITCODE_LOAD_H
#define HEDDLE_BITCODE_LOAD_H

#include <llvm-c/Core.h>
#include <llvm-c/Target.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/map.h"
#include "ir/ir.h"

struct loader {
	LLVMModuleRef from;
	LLVMTargetDataRef layout;
	struct ir_module *m;
	/* numbers of LLVM's objects, by their addresses */
	struct map types, consts, symbols, files;
	unsigned site_kind; /* number of the metadata that prepare.c adds */
	struct err *err;
	int rc; /* of the first error; later ones are not reported */
};

/* Errors: ERR_SUPPORT, ERR_FORMAT.  Release m in any case. */
int bitcode_load(LLVMModuleRef from, struct ir_module *m, struct err *err);

/* ---- among the files of the loader ---- */

/* Remember an error: heddle's form has nothing for `what`. */
void load_refuse(struct loader *l, const char *what, LLVMValueRef value);
uint32_t load_type(struct loader *l, LLVMTypeRef t);
uint32_t load_const(struct loader *l, LLVMValueRef v);
uint32_t load_int_const(struct loader *l, uint32_t type, uint64_t value);
uint32_t load_int_type(struct loader *l, unsigned bits);
uint32_t load_pointer_type(struct loader *l);
/* Number of a function or variable. */
uint32_t load_symbol(struct loader *l, LLVMValueRef v);
/* What an index path of a getelementptr adds, one step at a time: *t becomes the type that the step
 * leads to; a constant step adds to *offset and returns 0, another one returns its scale. */
uint64_t load_step(struct loader *l, LLVMTypeRef *t, LLVMValueRef index, bool is_first,
		   int64_t *offset);
void load_body(struct loader *l, LLVMValueRef from, uint32_t number);
/* A call that has no effect for heddle: debug information, lifetimes, assumptions. */
bool load_is_ignored(LLVMValueRef callee);

#endif
