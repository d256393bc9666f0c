/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Findings: claims about the program with the places that they are about.  Made from a failure
 * event and the scene at that moment.  The same finding (kind and places) is kept once, with a
 * count.
 */
#ifndef HEDDLE_FINDING_H
#define HEDDLE_FINDING_H

#include <stdbool.h>
#include <stdint.h>

#include "base/map.h"
#include "base/vec.h"
#include "report/names.h"
#include "report/scene.h"
#include "trace/event.h"

enum finding_kind {
#define FINDING_KIND(NAME, name) FINDING_##NAME,
#include "wire/failure.def"
};

/* How many there are: they are numbered from 0. */
enum {
	FINDING_KINDS = 0
#define FINDING_KIND(NAME, name) +1
#include "wire/failure.def"
};

enum failure {
#define FAILURE(number, NAME, KIND, sentence) FAILURE_##NAME = number,
#include "wire/failure.def"
};

enum finding_status { FINDING_OBSERVED, FINDING_PREDICTED, FINDING_CONFIRMED, FINDING_POTENTIAL };

/* A place with its part in the finding: "T1 'worker' waits for mutex b". */
struct finding_place {
	char *role;
	thr_id thread;
	loc_id loc;
	stack_id stack;
};

/* Two places that race, in the order in which one execution had them. */
struct finding_side {
	char *file, *function; /* NULL: unknown */
	uint32_t line;
	uint64_t offset; /* in its module */
	thr_id thread;
	const char *access; /* "reads", a constant */
};
struct finding_pair {
	struct finding_side sides[2];
};

struct finding {
	enum finding_kind kind;
	uint32_t failure; /* the failure that it is made from; 0: none */
	enum finding_status status;
	char *message; /* one line, without the kind */
	VEC(struct finding_place) places;
	VEC(char *) notes;		/* further lines: locks held, threads that wait for ever */
	VEC(struct finding_pair) pairs; /* race: all pairs of places, that of `places` first */
	uint64_t race_events[2];	/* race: the two accesses; both 0: unknown */
	VEC(uint64_t) objects;		/* addresses that it is about: their steps are shown */
	struct scene_steps steps;	/* last ones before it */
	uint64_t event;			/* index of the failure event */
	/* event that its story begins with; steps before it are not shown */
	uint64_t story_start;
	uint64_t count;
	char *witness; /* path; NULL: none */
	/* what it has in common with other findings of the same bug, beside its kind; NULL: the
	 * places */
	char *identity;
};

struct findings {
	VEC(struct finding) list;
	struct map told; /* hash of what a failure event says -> index + 1 of its finding */
};

const char *finding_kind_name(enum finding_kind kind);
/* The kind that is called so; -1: none. */
int finding_kind_named(const char *name, size_t len);
enum finding_kind finding_kind_of_failure(uint32_t failure);
const char *finding_status_name(enum finding_status status);

/* Make a finding from a failure event; the scene has followed the run up to it. */
void findings_add_failure(struct findings *f, const struct event *e, const struct scene *scene,
			  struct names *names);
void findings_release(struct findings *f);
void finding_pair_release(struct finding_pair *p);

/* ---- for the makers of findings in this folder ---- */

void finding_add_place(struct finding *f, const struct scene_place *p, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
void finding_add_note(struct finding *f, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* deadlock.c: which threads spin, and which wait. */
void finding_explain_livelock(struct finding *f, const struct scene *scene, struct names *names);
/* deadlock.c: who waits for whom. */
void finding_explain_deadlock(struct finding *f, const struct scene *scene, struct names *names);
/* "mutex m" */
char *finding_object_name(const struct scene *scene, struct names *names, uint64_t obj);
char *finding_thread_name(struct names *names, thr_id t);
/* "waits at barrier b for 1 more thread": what a thread that may not be able to go on does. */
void finding_add_wait(const struct scene *scene, struct names *names, const struct scene_thread *t,
		      struct buf *out);
/* " for reading": how a lock is held that can be held in several ways. */
const char *finding_hold_words(const struct scene_lock *l);
/* A note for every lock that the thread holds, except for one that is told otherwise. */
void finding_note_locks(struct finding *f, const struct scene *scene, struct names *names, thr_id t,
			uint64_t except);

#endif
