/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Findings: statements about the program with the places that they are about.
 *
 * All findings are made by finding_make() from a sentence of wire/finding.def and what it is about;
 * failure.c, race.c, claims.c and online.c say which.  Text (text.c) and JSON (machine.c) are views
 * of the same object.
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
#include "wire/finding.h"

/* Rows of wire/finding.def. */
enum finding_sentence {
	SENTENCE_NONE,
#define FINDING(NAME, KIND, FIRST, SECOND, THIRD, sentence) SENTENCE_##NAME,
#include "wire/finding.def"
};

enum finding_role {
#define FINDING_ROLE(NAME, sentence) ROLE_##NAME,
#include "wire/finding.def"
};

enum finding_status {
#define FINDING_STATUS(NAME, word, meaning) FINDING_##NAME,
#include "report/words.def"
};

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
	enum finding_act act;
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
	struct map known; /* hash of what a failure event says -> index + 1 of its finding */
};

const char *finding_kind_name(enum finding_kind kind);
/* The kind that is called so; -1: none. */
int finding_kind_named(const char *name, size_t len);
/* The kind of a failure of finding.def; -1: there is no such failure. */
int finding_kind_of_failure(uint64_t failure);
const char *finding_status_name(enum finding_status status);
const char *finding_act_word(enum finding_act act); /* "reads" */

/* ---- making findings ---- */

/* What a sentence is about.  The sentence decides which of these it needs. */
struct finding_about {
	thr_id thread, other;		 /* %t, %u; THR_NONE: not known */
	uint64_t object;		 /* %o, %v */
	uint64_t number;		 /* %n, %p, %e */
	enum finding_act act, other_act; /* %d and %a, %b */
	bool is_atomic, other_is_atomic;
	const char *text; /* %s */
};

/* A place that a finding gets.  Its thread is that of the place. */
struct finding_part {
	enum finding_role role;
	struct scene_place at;
	struct finding_about about;
};

struct finding_input {
	enum finding_sentence sentence; /* SENTENCE_NONE: that of the failure */
	uint32_t failure;		/* it gives the kind, if it is not 0 */
	enum finding_status status;
	struct finding_about about;
	const struct finding_part *places;
	size_t place_count;
	uint64_t event, count; /* count 0: 1 */
};

/* The constructor.  names->scene is what was known when it was found. */
struct finding finding_make(const struct finding_input *in, struct names *names);
/* A further place; one that is not known is left out. */
void finding_add_place(struct finding *f, const struct finding_part *part, struct names *names);
/* The role that a sentence gives to its i-th place. */
enum finding_role finding_role_of(enum finding_sentence sentence, size_t i);
/* State it by another sentence; the kind stays. */
void finding_restate(struct finding *f, enum finding_sentence sentence,
		     const struct finding_about *about, struct names *names);
void finding_add_note(struct finding *f, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* A note for each of these locks that the thread holds, except for one that is named otherwise. */
void finding_note_locks(struct finding *f, struct names *names, thr_id t,
			const struct scene_lock *held, size_t count, uint64_t except);
/* " for reading": how a lock is held that can be held in several ways. */
const char *finding_hold_words(const struct scene_lock *l);
/* "waits at barrier b for 1 more thread": what a thread does that may be blocked. */
void finding_add_wait(const struct scene *scene, struct names *names, const struct scene_thread *t,
		      struct buf *out);
void finding_release(struct finding *f);
void findings_release(struct findings *f);
void finding_pair_release(struct finding_pair *p);

/* ---- sentences ---- */

/* Names for a sentence; NULL: "the thread", "another thread", "the object". */
struct finding_words {
	const char *thread, *other, *object, *memory, *text;
	enum finding_act act, other_act;
	bool is_atomic, other_is_atomic;
	uint64_t number;
};
void finding_fill(const char *sentence, const struct finding_words *words, struct buf *out);
/* NULL: there is no such failure. */
const char *failure_sentence(uint64_t failure);
/* What the thread of a failure does at its place. */
const char *failure_does(uint64_t failure);

/* ---- failure.c ---- */

/* Make a finding from a failure event; the scene has followed the run up to it.  The same one (kind
 * and places) is kept once, with a count. */
void findings_add_failure(struct findings *f, const struct event *e, const struct scene *scene,
			  struct names *names);

/* ---- deadlock.c ---- */

/* Which threads spin, and which wait. */
void finding_explain_livelock(struct finding *f, const struct scene *scene, struct names *names);
/* Which thread waits for which. */
void finding_explain_deadlock(struct finding *f, const struct scene *scene, struct names *names);

#endif
