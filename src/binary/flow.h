/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Data flow analysis of the functions of a linked program: the symbolic state before each
 * instruction, valid on all paths to it.
 */
#ifndef HEDDLE_BINARY_FLOW_H
#define HEDDLE_BINARY_FLOW_H

#include "binary/image.h"
#include "binary/symbolic.h"

enum flow_call { FLOW_FUNCTION, FLOW_HOOK, FLOW_OF_INTEREST };

struct flow_client {
	void *ctx;
	const ZydisDecoder *decoder;
	/* What a call instruction calls.  Functions without a call of interest are skipped. */
	enum flow_call (*classify)(void *ctx, const struct sym_instruction *in);
	/* Called for each call of interest with the state before it. */
	void (*each)(void *ctx, const struct sym_state *state, const struct sym_instruction *in);
	uint64_t constant_from, constant_to; /* see symbolic.h */
};

/* Analyse all functions of an executable section. */
void flow_section(const struct flow_client *client, const struct image *img, size_t section);

#endif
