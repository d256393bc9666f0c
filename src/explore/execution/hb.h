/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Vector clocks over the operations of one execution: which events of which threads are before
 * the present of a thread (happens-before; Lamport 1978, Mattern 1989).
 *
 * A thread's time begins at 1 and advances each time it publishes its past.  What it publishes is
 * left at an edge (wire/sync.h) and joined by a thread that receives it there.  Which operations
 * publish and receive is said by wire/sync.def; which of those edges count is up to the caller.
 */
#ifndef HEDDLE_EXPLORE_EXECUTION_HB_H
#define HEDDLE_EXPLORE_EXECUTION_HB_H

#include "base/map.h"
#include "base/vec.h"
#include "wire/sync.h"

/* Times of threads, by their number; 0 for those that are not there. */
struct vc {
	VEC(uint32_t) of;
};

static inline uint32_t vc_at(const struct vc *c, uint32_t thread)
{
	return thread < c->of.len ? c->of.at[thread] : 0;
}
static inline void vc_clear(struct vc *c)
{
	c->of.len = 0;
}
void vc_join(struct vc *to, const struct vc *from);
void vc_release(struct vc *c);

struct hb {
	/* Private. */
	VEC(struct vc) threads;
	VEC(struct vc) left; /* at edges; kept for the next execution to save allocations */
	size_t left_used;
	struct map left_of; /* edge: number in `left` plus one */
};

/* A new execution begins. */
void hb_begin(struct hb *h);
void hb_release(struct hb *h);

/*
 * The clock of a thread.  The first time it is asked for, the thread receives its creation and
 * its time is 1.  Valid until another thread is asked for.
 */
struct vc *hb_thread(struct hb *h, uint32_t thread);
static inline uint32_t hb_time(struct hb *h, uint32_t thread)
{
	return vc_at(hb_thread(h, thread), thread);
}
static inline void hb_advance(struct hb *h, uint32_t thread)
{
	hb_thread(h, thread)->of.at[thread]++;
}
/* Whether that time of another thread is before the present of the thread. */
static inline bool hb_covers(struct hb *h, uint32_t thread, uint32_t other, uint32_t time)
{
	return time <= vc_at(hb_thread(h, thread), other);
}

/* What was left at an edge.  Valid until another edge is asked for. */
struct vc *hb_left(struct hb *h, struct sync_edge e);
/* Leave the thread's past, beside what others left there, or instead of it; then time advances. */
void hb_publish(struct hb *h, uint32_t thread, struct sync_edge e);
void hb_replace(struct hb *h, uint32_t thread, struct sync_edge e);
void hb_receive(struct hb *h, uint32_t thread, struct sync_edge e);

#endif
