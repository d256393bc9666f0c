/* SPDX-License-Identifier: Apache-2.0 */
/* Which call instructions of a linked file call hooks: by address, by a stub of the linker, or through a
 * slot. */
#ifndef HEDDLE_BINARY_CALLS_H
#define HEDDLE_BINARY_CALLS_H

#include "base/map.h"
#include "binary/code.h"
#include "binary/hooks.h"

struct calls {
	const struct image *img;
	ZydisDecoder decoder;
	VEC(struct hook) hooks;
	struct map by_address;		/* address of a hook, its stub or slot: index into hooks plus one */
	struct map late_by_name;	/* hash of a late form's name: address to call */
};

/* Errors: ERR_INTERNAL. */
int calls_open(struct calls *c, const struct image *img, struct err *err);
void calls_close(struct calls *c);

/* The hook that a call or jump leads to; NULL if it is none. */
const struct hook *calls_hook(const struct calls *c, const struct sym_instruction *in);
/* Where the late form of a write hook can be called; 0 if the file has none. */
uint64_t calls_late_form(const struct calls *c, const struct hook *hook);
/* Make a call or jump to a hook lead elsewhere, in the bytes that the image views. */
void calls_redirect(const struct calls *c, unsigned char *bytes, const struct sym_instruction *in,
		    uint64_t target);
/* Is there code in this section that may call hooks?  Not in the linker's stubs, nor in the runtime. */
bool calls_are_in(const struct calls *c, size_t section);

#endif
