/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Threads of the program: creation, end and join, and what reports say of them.  A thread has a
 * number (uid) that is never used again, and a struct thr (thr.h) that later threads reuse.
 */
#ifndef HEDDLE_RUN_THREAD_H
#define HEDDLE_RUN_THREAD_H

#include <stdbool.h>
#include <stdint.h>

#include "run/thr.h"

/* What is known of a thread, by its uid. */
struct life {
	uint32_t slot, epoch;	 /* its slot, and its first epoch */
	uint32_t creator, stack; /* uid of its creator, and where it was created */
	uint32_t end_epoch;	 /* 0: it is alive */
	bool is_named;		 /* by an annotation */
	char name[NAME_SIZE];
};
#define LIVES 65536
extern struct life *g_lives;
extern uint32_t g_life_count;
struct life *life_of(uint32_t slot, uint32_t epoch); /* NULL if it is not known any more */

struct thr *thread_begin(uint32_t creator, uint32_t stack, const struct clock *from);
void thread_end(struct thr *t, struct clock **last);
void thread_free_slot(const struct thr *t);	   /* after thread_end: another thread may get it */
void thread_forget_others(void);		   /* in a forked child */
void thread_unwatch(void);			   /* in a forked child that cannot be watched */
void thread_name(struct thr *t, const char *name); /* by an annotation */
const char *thread_name_of(uint32_t uid);	   /* "": none; uid is below LIVES */

/*
 * A thread that libc has made runs the program's code.  The thread that caused it prepares, as
 * for a thread of its own; the new one calls thread_adopt.
 */
void thread_before_create(struct thr *t);
void thread_adopt(uint32_t creator, uint32_t stack);

#endif
