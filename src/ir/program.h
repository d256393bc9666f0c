/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The bitcode that a program carries, and the program heddle-bitcode, which reads it.
 *
 * An object's section IR_SECTION has a line `heddle-bitcode 1 LENGTH UNIT` and LENGTH bytes of
 * bitcode; that of a linked program has one such entry for each object, perhaps with zeros
 * between.
 */
#ifndef HEDDLE_IR_PROGRAM_H
#define HEDDLE_IR_PROGRAM_H

#include "base/buf.h"
#include "base/err.h"
#include "base/words.h"
#include "ir/ir.h"

#define IR_SECTION ".heddle.bitcode"

/* Append an entry. */
void ir_carried_add(struct buf *section, const char *unit, const void *bitcode, size_t len);

/* Run heddle-bitcode with these words.  Errors: ERR_SUPPORT if it is not there, otherwise
 * ERR_FORMAT with what it says. */
int ir_helper_run(const struct words *arguments, struct err *err);

/* Write the linked bitcode of a program, shared library or object to a file.  Errors: ERR_PROGRAM
 * (it has none), ERR_FORMAT, ERR_IO, ERR_SUPPORT. */
int ir_program_link(const char *program, const char *to, struct err *err);
/* The linked bitcode as IR; the same errors.  Release m in any case. */
int ir_program_load(const char *program, struct ir_module *m, struct err *err);

/* Functions that the bitcode calls or takes the address of, but that have none. */
struct ir_missing {
	struct words in_program;   /* machine code of the program without bitcode */
	struct words in_libraries; /* in a shared library, or resolved by none */
	struct words assembly;	   /* the texts of inline assembly */
};

/* Errors: ERR_IO, ERR_FORMAT.  Release in any case. */
int ir_program_missing(const char *program, const struct ir_module *m, struct ir_missing *missing,
		       struct err *err);
void ir_missing_release(struct ir_missing *missing);

#endif
