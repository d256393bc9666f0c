/* SPDX-License-Identifier: Apache-2.0 */
/*
 * heddle-bitcode: the part of heddle that uses LLVM, a program of its own.  The tool starts it, so
 * commands that do not need it do not load LLVM's 120 MB library, and bitcode that makes LLVM crash
 * ends this process, not the tool.
 *
 *   heddle-bitcode prepare LEVEL UNIT IN OUT   see prepare.h
 *   heddle-bitcode link OUT IN...              link bitcode files into one
 *   heddle-bitcode ir IN OUT                   the text form of src/ir
 *
 * Failures are one sentence on standard error and status 3.
 */
#include <llvm-c/Analysis.h>
#include <llvm-c/BitReader.h>
#include <llvm-c/BitWriter.h>
#include <llvm-c/ErrorHandling.h>
#include <llvm-c/Linker.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "base/file.h"
#include "bitcode/load.h"
#include "bitcode/prepare.h"
#include "ir/verify.h"
#include "ir/write.h"

#define MEMORY_LIMIT (8ull << 30)
#define SECONDS_LIMIT 600

static void on_fatal(const char *reason)
{
	fprintf(stderr, "LLVM: %s\n", reason);
	_Exit(3);
}

/* LLVM's errors about a module; the first is the one to report. */
static void on_diagnostic(LLVMDiagnosticInfoRef info, void *context)
{
	struct err *err = context;
	if (LLVMGetDiagInfoSeverity(info) != LLVMDSError || *err->text)
		return;
	char *text = LLVMGetDiagInfoDescription(info);
	err_set(err, ERR_FORMAT, "%s", text);
	LLVMDisposeMessage(text);
}

static int read_module(LLVMContextRef c, const char *path, LLVMModuleRef *m, struct err *err)
{
	LLVMMemoryBufferRef bytes;
	char *text = NULL;
	struct err why = { 0 };
	if (LLVMCreateMemoryBufferWithContentsOfFile(path, &bytes, &text)) {
		int rc = err_set(err, ERR_IO, "%s: %s", path, text);
		LLVMDisposeMessage(text);
		return rc;
	}
	LLVMContextSetDiagnosticHandler(c, on_diagnostic, &why);
	bool is_bad = LLVMParseBitcodeInContext2(c, bytes, m);
	LLVMContextSetDiagnosticHandler(c, NULL, NULL);
	LLVMDisposeMemoryBuffer(bytes);
	if (is_bad)
		return err_set(err, ERR_FORMAT, "%s is no bitcode that LLVM 19 reads: %.600s", path,
			       *why.text ? why.text : "damaged");
	if (LLVMVerifyModule(*m, LLVMReturnStatusAction, &text)) {
		int rc = err_set(err, ERR_FORMAT, "%s is damaged: %.*s", path,
				 (int)strcspn(text, "\n"), text);
		LLVMDisposeMessage(text);
		LLVMDisposeModule(*m);
		return rc;
	}
	LLVMDisposeMessage(text);
	return 0;
}

static int write_module(LLVMModuleRef m, const char *path, struct err *err)
{
	return LLVMWriteBitcodeToFile(m, path) ? err_set(err, ERR_IO, "cannot write %s", path) : 0;
}

static int prepare(LLVMContextRef c, char **argv, struct err *err)
{
	LLVMModuleRef m;
	int rc = read_module(c, argv[2], &m, err);
	if (rc)
		return rc;
	rc = bitcode_prepare(m, argv[0], argv[1], err);
	rc = rc ? rc : write_module(m, argv[3], err);
	LLVMDisposeModule(m);
	return rc;
}

static int link_all(LLVMContextRef c, int count, char **argv, struct err *err)
{
	LLVMModuleRef whole = LLVMModuleCreateWithNameInContext("program", c), part;
	int rc = 0;
	for (int i = 1; i < count && !rc; i++) {
		rc = read_module(c, argv[i], &part, err);
		if (rc)
			break;
		if (i == 1) {
			LLVMDisposeModule(whole);
			whole = part;
			continue;
		}
		struct err why = { 0 };
		LLVMContextSetDiagnosticHandler(c, on_diagnostic, &why);
		if (LLVMLinkModules2(whole, part))
			rc = err_set(err, ERR_FORMAT, "%s cannot be linked: %.600s", argv[i],
				     why.text);
		LLVMContextSetDiagnosticHandler(c, NULL, NULL);
	}
	rc = rc ? rc : write_module(whole, argv[0], err);
	LLVMDisposeModule(whole);
	return rc;
}

static int convert(LLVMContextRef c, char **argv, struct err *err)
{
	LLVMModuleRef from;
	struct ir_module m;
	struct buf text = { 0 };
	int rc = read_module(c, argv[0], &from, err);
	if (rc)
		return rc;
	rc = bitcode_load(from, &m, err);
	rc = rc ? rc : ir_verify(&m, err);
	if (!rc)
		ir_write(&m, &text);
	rc = rc ? rc : file_write(argv[1], text.at, text.len, err);
	buf_release(&text);
	ir_module_release(&m);
	LLVMDisposeModule(from);
	return rc;
}

int main(int argc, char **argv)
{
	struct err err = { 0 };
	struct rlimit memory = { MEMORY_LIMIT, MEMORY_LIMIT },
		      seconds = { SECONDS_LIMIT, SECONDS_LIMIT };
	struct rlimit core = { 0, 0 };
	int rc;
	setrlimit(RLIMIT_AS, &memory);
	setrlimit(RLIMIT_CPU, &seconds);
	setrlimit(RLIMIT_CORE, &core);
	LLVMInstallFatalErrorHandler(on_fatal);
	LLVMContextRef c = LLVMContextCreate();
	if (argc == 6 && !strcmp(argv[1], "prepare"))
		rc = prepare(c, argv + 2, &err);
	else if (argc >= 4 && !strcmp(argv[1], "link"))
		rc = link_all(c, argc - 2, argv + 2, &err);
	else if (argc == 4 && !strcmp(argv[1], "ir"))
		rc = convert(c, argv + 2, &err);
	else
		rc = err_set(&err, ERR_USAGE,
			     "usage: heddle-bitcode prepare|link|ir ..., started by heddle");
	LLVMContextDispose(c);
	if (rc)
		fprintf(stderr, "%s\n", err.text);
	return rc ? err_exit_status(rc) : 0;
}
