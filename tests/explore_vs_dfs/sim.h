/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A program in a few lines instead of a process: random threads with shared variables, locks,
 * semaphores, condition variables, barriers, timed forms, choices and output, run by an
 * interpreter that follows plans and tells operations as the runtime does (wire/explore.h).  It
 * stands where a worker would, so the reduction can be tried on thousands of programs for each
 * second, and its small states can be searched completely by other means (reference.c).
 */
#ifndef HEDDLE_TESTS_SIM_H
#define HEDDLE_TESTS_SIM_H

#include <stdbool.h>
#include <stdint.h>

#include "exec/execution.h"

enum {
	THREADS_MAX = 6,
	CODE_MAX = 20,
	VARIABLES = 5,
	LOCKS = 2,
	OUTPUT_MAX = 16,
};

enum instruction_kind {
	DO_NOTHING, /* a hook without an operation */
	DO_READ,    /* a: variable; b READ_UNUSED: the value goes nowhere */
	DO_WRITE,   /* a: variable, b: value; plus what was read */
	DO_ADD,	    /* a: variable, b: value */
	DO_COMPARE, /* compare-exchange; a: variable, b: expected; leaves b + 1 */
	DO_LOCK,
	DO_TRY_LOCK,   /* skips `skip` instructions if it fails */
	DO_TIMED_LOCK, /* likewise */
	DO_UNLOCK,
	DO_READ_LOCK,
	DO_TRY_READ_LOCK,
	DO_READ_UNLOCK,
	DO_WRITE_LOCK,
	DO_WRITE_UNLOCK,
	DO_SEM_WAIT,
	DO_SEM_TRY,
	DO_SEM_TIMED,
	DO_SEM_POST,
	DO_WAIT, /* a: condition variable, b: mutex, which is held */
	DO_TIMED_WAIT,
	DO_SIGNAL,
	DO_BROADCAST,
	DO_BARRIER,
	DO_CHOOSE,  /* b: alternatives */
	DO_OUTPUT,  /* what was read */
	DO_SKIP_IF, /* skips if what was read is b, modulo 2 */
	DO_ASSERT,  /* fails if what was read is b */
	DO_ASSUME,  /* drops the execution if what was read is b */
	DO_FORK,    /* a: thread */
	DO_JOIN,
	DO_AWAIT, /* spins until variable a is not b */
	DO_EXIT,
	INSTRUCTION_KINDS,
};

#define READ_UNUSED 255

struct instruction {
	uint8_t kind, a, b, skip;
};

struct sim_program {
	int threads;
	struct instruction code[THREADS_MAX][CODE_MAX];
	int length[THREADS_MAX];
	int semaphore;	/* first value */
	int barrier;	/* threads for each round */
	bool joins_all; /* the process ends after all threads, unless something fails */
};

enum sim_end { SIM_RUNS, SIM_EXIT, SIM_FAILED, SIM_ASSUMED, SIM_DEADLOCK };

/* A state is what it contains: two of the same bytes have the same future. */
struct sim_state {
	/* stage: where in a wait */
	uint8_t pc[THREADS_MAX], reg[THREADS_MAX], stage[THREADS_MAX];
	uint8_t is_there[THREADS_MAX], has_ended[THREADS_MAX], is_woken[THREADS_MAX];
	uint8_t variable[VARIABLES];
	uint8_t holder[LOCKS];		      /* plus one */
	uint8_t writer, readers[THREADS_MAX]; /* of the one rwlock */
	uint8_t semaphore;
	uint8_t queue[LOCKS][THREADS_MAX], queued[LOCKS];
	uint8_t arrived;
	uint8_t end;
	uint8_t output[OUTPUT_MAX], outputs;
};

/* Operations of one stretch, as the runtime would tell them. */
struct sim_list {
	struct wire_op ops[16];
	int count;
	bool is_blocked;
};

void sim_start(const struct sim_program *p, struct sim_state *s);
/* Whether the thread could do its next instruction now; *is_late: only by running out of time. */
bool sim_can_go(const struct sim_program *p, const struct sim_state *s, int thread, bool *is_late);
/* Whether it was woken from a condition variable and has not asked for its mutex yet: then it
 * goes on, if only to wait. */
bool sim_wakes(const struct sim_program *p, const struct sim_state *s, int thread);
bool sim_is_live(const struct sim_state *s, int thread);
/* Whether its next instruction ends the process. */
bool sim_would_exit(const struct sim_program *p, const struct sim_state *s, int thread);
/* How many alternatives the choice in its next instruction has; 1 if there is none. */
int sim_choices(const struct sim_program *p, const struct sim_state *s, int thread);
/* Do it, or as much as is possible; what the runtime would tell is added to the list. */
void sim_go(const struct sim_program *p, struct sim_state *s, int thread, int choice,
	    struct sim_list *list);
/* What the user could see of a state in which nothing can go on, and what is left in memory if that
 * counts. */
uint64_t sim_outcome(const struct sim_program *p, const struct sim_state *s, bool with_memory);

/* As a worker. */
struct sim {
	const struct sim_program *program;
	struct wire_op ops[4096];
	struct sim_state last; /* in which the execution ended */
	bool has_diverged;
};
execution_run sim_run;

/* Larger ones, with nothing but accesses; half of them try compare-exchanges until one succeeds. */
void sim_random_accesses(struct sim_program *p, uint64_t seed);
void sim_random_values(struct sim_program *p, uint64_t seed);
void sim_random(struct sim_program *p, uint64_t seed, bool is_small);
/* The values of about half of its reads go nowhere. */
void sim_drop_values(struct sim_program *p, uint64_t seed);
/* The places of those (pc of wire_op), in order; gives how many. */
size_t sim_unused_places(const struct sim_program *p, uint64_t places[THREADS_MAX * CODE_MAX]);
/* Kept ones (kept.c): the name of what it shows; NULL: there are fewer. */
const char *sim_kept(struct sim_program *p, size_t number);
void sim_print(const struct sim_program *p);

#endif
