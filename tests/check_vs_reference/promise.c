/* SPDX-License-Identifier: Apache-2.0 */
/* Phrases with promises: one thread gives a value, others wait for it. */
#include "phrases.h"

static void put_fulfil(struct gen *g, unsigned promise)
{
	struct insn *in = put_asking(g, OP_FULFIL, promise);
	in->val = (struct value){ .number = 1 + below(g, 3) };
	if (chance(g, 30))
		in->val = (struct value){ .is_reg = true, .number = below(g, 2) };
}

static void say_fulfil(struct gen *g)
{
	if (chance(g, 70))
		say_access(g);
	put_fulfil(g, below(g, PROMISES));
	if (chance(g, 30))
		say_access(g);
}

static void say_obtain(struct gen *g)
{
	put_asking(g, OP_OBTAIN, below(g, PROMISES));
	if (chance(g, 70))
		say_access(g);
}

static void say_promise(struct gen *g)
{
	(chance(g, 65) ? say_fulfil : say_obtain)(g);
}

/* What comes out of one goes into the other. */
static void say_relay(struct gen *g)
{
	unsigned promise = below(g, PROMISES);
	if (chance(g, 40))
		put_fulfil(g, promise);
	struct insn *from = put_asking(g, OP_OBTAIN, promise);
	uint8_t reg = from->reg;
	struct insn *in = put_asking(g, OP_FULFIL, 1 - promise);
	in->val = (struct value){ .is_reg = true, .number = reg };
}

phrase_fn *const promise_phrases[PROMISE_PHRASES] = { say_promise, say_promise, say_relay,
						      say_fulfil };
