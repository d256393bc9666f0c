/* SPDX-License-Identifier: Apache-2.0 */
/* The beginning of a watched process, its threads, and entering the runtime from an interposed
 * function. */
#ifndef HEDDLE_RUN_START_H
#define HEDDLE_RUN_START_H

#include "run/run.h"

void start_begin(void); /* once, before main; does nothing if nobody watches */
extern int start_fd;	/* what is found goes there; -1: nobody watches */
extern const char *start_failure;

/* Threads, by a number that is never used again. */
struct life {
	uint32_t slot, epoch;	 /* which, and its first epoch */
	uint32_t creator, stack; /* who made it where */
	uint32_t end_epoch;	 /* 0: it lives */
	char name[16];
};
#define LIVES 65536
extern struct life *g_lives;
extern uint32_t g_life_count;
struct life *life_of(uint32_t slot, uint32_t epoch); /* NULL if it is not known any more */

struct thr *thread_begin(uint32_t creator, uint32_t stack, const struct clock *from);
void thread_end(struct thr *t, struct clock **last);
void thread_give_slot(const struct thr *t); /* afterwards: it is anybody's from now on */
/* takeover.c: the program was built for exploration, and we are preloaded. */
bool takeover_needed(void);
void takeover(void);
void thread_drop(void); /* in a forked child that cannot be watched */
void exit_begin(void);	/* exit waits for other threads from now on */
void fork_begin(void);	/* children are watched from now on */

#endif
