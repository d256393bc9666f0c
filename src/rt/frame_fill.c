/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Another content of variables that were not written, for experiments (check/variables.c).  The
 * tool says which bytes of a frame are unwritten when the function's entry hook is called
 * (binary/frames.h).
 */
#include "wire/fault.h"
#include "rt/frame_fill.h"
#include "rt/hot.h"
#include "rt/mem.h"
#include "rt/rt.h"
#include "rt/shadow.h"
#include "wire/wire.h"

RT_STATE bool rt_fills_frames;

void frame_fill_init(void)
{
	rt_fills_frames = g.session->frame_fills.count > 0;
}

/* The first one for this place, or where it would be. */
static size_t first_of(const struct wire_frame_fills *f, pc_t pc)
{
	size_t low = 0, high = f->count;
	while (low < high) {
		size_t middle = (low + high) / 2;
		if (f->at[middle].pc < pc)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

void frame_fill(uintptr_t sp, pc_t pc)
{
	const struct wire_frame_fills *f = &g.session->frame_fills;
	for (size_t i = first_of(f, pc); i < f->count && f->at[i].pc == pc; i++) {
		if (FAULT(FRAMES_NOT_FILLED))
			return;
		uintptr_t from = sp + f->at[i].from;
		size_t size = f->at[i].to - f->at[i].from;
		if (FAULT(STORED_FRAME_FILLED)) { /* what the function has stored is filled, too */
			from = sp;
			size = f->at[i].to;
		}
		rt_memset((void *)from, (int)f->at[i].byte, size);
		rt_memset((void *)SHADOW(from), (int)f->at[i].byte, size);
	}
}
