/* SPDX-License-Identifier: Apache-2.0 */
/* What the finders of src/predict share.  Private to it. */
#ifndef HEDDLE_PREDICT_FINDER_H
#define HEDDLE_PREDICT_FINDER_H

#include "base/map.h"
#include "predict/must.h"
#include "predict/predict.h"

/* Something that may be a claim. */
struct candidate {
	enum finding_kind kind;
	uint64_t key; /* candidates with the same key have the same places */
	/* between its operations in the trace: near ones are asked first */
	uint64_t distance;
	enum claim_tie tie; /* atomicity: see struct claim */
	op_id tie_from;
	uint32_t item; /* that it belongs to, once they are made (items.h) */
	VEC(op_id) ops;
	VEC(op_id) include; /* demands of the question */
	VEC(op_id) pending;
	VEC(struct op_order) orders;
	VEC(struct op_order) adjacent;
};

struct finder {
	const struct history *h;
	/* by thread of the trace: in the history; UINT32_MAX: it has no operations */
	uint32_t *number_of;
	const struct trace_index *x;
	const struct predict_options *o;
	struct prediction *out;
	VEC(struct candidate) candidates;
	struct map seen; /* key to how many candidates */
	struct map left; /* key to how many of them are not asked about */
	uint32_t ticks;	 /* of finder_is_over */
};

/* The source place of an operation. */
static inline loc_id finder_place(const struct finder *f, op_id op)
{
	return f->x->events[f->h->ops.at[op].event].loc;
}

static inline const struct index_event *finder_event(const struct finder *f, op_id op)
{
	return &f->x->events[f->h->ops.at[op].event];
}

/* The thread of the history that a join waits for; UINT32_MAX if it is no join, or the thread
 * does nothing there. */
uint32_t finder_joined(const struct finder *f, op_id op);
/* Whether to stop looking; asked in every loop over operations or events. */
static inline bool finder_is_over(struct finder *f)
{
	if (!(++f->ticks % 1024) && f->o->is_over)
		f->out->is_cut_off |= f->o->is_over(f->o->arg);
	return f->out->is_cut_off;
}

/* Key of a kind and places; is_unordered: the order of places does not count. */
uint64_t finder_key(enum finding_kind kind, const loc_id *places, size_t count, bool is_unordered);
/* Room for one more candidate of this key; NULL if there are enough. */
struct candidate *finder_add(struct finder *f, enum finding_kind kind, uint64_t key);
/* The same, for a finder that chooses itself; it counts instances and those that it leaves out. */
struct candidate *finder_add_chosen(struct finder *f, enum finding_kind kind, uint64_t key);
void finder_count(struct finder *f, uint64_t key, uint64_t instances, uint64_t left_out);
/* How many candidates of one key are asked about. */
uint64_t finder_instances(const struct finder *f);
/* Room for another way to ask for the one that was added last; it is no instance of its own. */
struct candidate *finder_add_way(struct finder *f);
/* The question that a candidate is; the caller releases it. */
struct question candidate_question(const struct candidate *c);
/* Report how much has been asked. */
void finder_progress(const struct finder *f, uint64_t done, uint64_t total, uint64_t found);
void finder_init(struct finder *f);   /* after history and index are set */
void finder_forget(struct finder *f); /* all candidates */
void finder_release(struct finder *f);

/* Locks that a thread holds, followed in the order of the trace. */
struct held {
	const struct history *h;
	struct {
		VEC(op_id) acquires;
	} * threads;
};

void held_init(struct held *l, const struct history *h);
void held_step(struct held *l, op_id op); /* after looking at what was held before it */
void held_release(struct held *l);

/* Accesses that a function of libc makes in one call, as far as one of them depends on them
 * (calls.c): positions in a thread. */
struct call {
	uint32_t thread, first, end, at; /* the one in question is at `at` */
};

/* Whether the access may end before it gets to what another one touches. */
bool call_is_unsure(const struct finder *f, op_id op, op_id other);
struct call call_of(const struct finder *f, op_id op);
/* Bring the witness of a race with such accesses to where both are about to happen; false: it
 * does not show the race. */
bool call_settle(const struct finder *f, const struct candidate *c, bool same_values,
		 struct answer *a);

void find_races(struct finder *f);
void find_deadlocks(struct finder *f);
void find_lost_signals(struct finder *f);
void find_atomicity(struct finder *f);
void find_lifetimes(struct finder *f);

#endif
