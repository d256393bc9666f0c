/* SPDX-License-Identifier: Apache-2.0 */
/* Which call instructions of a linked file call hooks: directly, through a PLT stub, or through a
 * slot of the GOT. */
#ifndef HEDDLE_BINARY_CALLS_H
#define HEDDLE_BINARY_CALLS_H

#include "base/map.h"
#include "binary/code.h"
#include "binary/hooks.h"

struct calls {
	const struct image *img;
	ZydisDecoder decoder;
	VEC(struct hook) hooks;
	/* address of a hook, its stub or slot: index into hooks plus one */
	struct map by_address;
	struct map late_by_name; /* hash of a late form's name: address to call */
};

/* Errors: ERR_INTERNAL. */
int calls_open(struct calls *c, const struct image *img, struct err *err);
void calls_close(struct calls *c);

/* The hook that a call or jump targets; NULL if the target is not a hook. */
const struct hook *calls_hook(const struct calls *c, const struct sym_instruction *in);
/* Address of the late form of a write hook; 0 if the file does not define it. */
uint64_t calls_late_form(const struct calls *c, const struct hook *hook);
/* Redirect a call or jump to another target; `bytes` are the image's own, writable. */
void calls_redirect(const struct calls *c, unsigned char *bytes, const struct sym_instruction *in,
		    uint64_t target);
/* Whether a section has code that may call hooks.  PLT stubs and the runtime do not count. */
bool calls_covers_section(const struct calls *c, size_t section);

#endif
