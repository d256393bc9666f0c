/* SPDX-License-Identifier: Apache-2.0 */
/* What phrases of random programs are put together from (gen.c), and those of wide programs only
 * (wide.c). */
#ifndef CHECK_PHRASES_H
#define CHECK_PHRASES_H

#include "prog.h"

struct gen {
	struct prog *p;
	uint64_t random;
	unsigned t; /* the thread that is written */
	unsigned next_reg;
	unsigned locs;
	struct loc loc[4]; /* what is accessed in this program */
	unsigned letters;
	bool stack_is_used, main_stays;
	bool is_weak; /* mostly accesses that a store buffer can reorder */
	bool is_small;
	bool is_wide;	    /* also from the phrases of wide.c */
	bool is_mixed;	    /* and from those of mixed.c */
	bool has_promises;  /* also from those of promise.c */
	bool has_signals;   /* from those of signal_phrases.c and basic ones */
	bool upper_is_used; /* the upper half of the globals */
	unsigned rwlock;    /* that is used most */
};

typedef void phrase_fn(struct gen *g);

unsigned below(struct gen *g, unsigned n);
bool chance(struct gen *g, unsigned percent);
struct insn *put(struct gen *g, enum op op);
uint8_t result(struct gen *g); /* the next register for a result */
struct insn *put_call(struct gen *g, enum op op, unsigned obj);
struct insn *put_asking(struct gen *g, enum op op, unsigned obj);
void put_letter(struct gen *g, enum op op); /* the next one, of output or into a pipe */
void put_guard(struct gen *g, unsigned reg, unsigned *at);
void end_guard(struct gen *g, unsigned at);
struct loc some_loc(struct gen *g);
uint8_t load_order(struct gen *g);
uint8_t store_order(struct gen *g);
uint8_t modify_order(struct gen *g);
void put_flag(struct gen *g);	 /* a store to the first location, which loops wait for */
uint8_t put_look(struct gen *g); /* a load of it; its register */
unsigned begin_loop(struct gen *g);
void end_loop(struct gen *g, unsigned begin, struct cond until);
void say_access(struct gen *g);
void say_add(struct gen *g);

/* The first ones of each have nothing that waits for an empty buffer. */
enum {
	BASIC_WEAK_PHRASES = 10,
	BASIC_PHRASES = 25,
	WIDE_WEAK_PHRASES = 4,
	WIDE_PHRASES = 20,
	MIXED_WEAK_PHRASES = 5,
	MIXED_PHRASES = 14,
	PROMISE_PHRASES = 4,
	SIGNAL_WEAK_PHRASES = 6,
	SIGNAL_PHRASES = 14,
	PROMISE_FIRST = BASIC_PHRASES + WIDE_PHRASES + MIXED_PHRASES,
	SIGNAL_FIRST = PROMISE_FIRST + PROMISE_PHRASES,
};
extern phrase_fn *const basic_phrases[BASIC_PHRASES];
extern phrase_fn *const wide_phrases[WIDE_PHRASES];
extern phrase_fn *const mixed_phrases[MIXED_PHRASES];
extern phrase_fn *const promise_phrases[PROMISE_PHRASES];
extern phrase_fn *const signal_phrases[SIGNAL_PHRASES];
void write_handlers(struct gen *g); /* of all signals */
void say_kill(struct gen *g);	    /* a signal to a thread that this one may send it to */

#endif
