/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Random small programs, and an interpreter that runs them operation by operation: threads with a
 * register, variables with values, and every kind of synchronisation that traces have.  A run by
 * a random schedule gives a history.  A witness for that history can be run as a schedule: every
 * thread must then do exactly the operations that the witness says, which shows that the orders
 * in the history are enough for each kind of synchronisation, and not only that the engines agree
 * about them.
 */
#ifndef HEDDLE_TESTS_SIMULATE_H
#define HEDDLE_TESTS_SIMULATE_H

#include "oracle/history.h"

#define SIM_THREADS 5
#define SIM_CODE 80 /* instructions of a thread */
#define SIM_VARIABLES 3
#define SIM_LOCKS 3
#define SIM_OPS 43	  /* of a run that brute force is to look at */
#define SIM_OPS_LARGE 120 /* of any run */

enum sim_code {
	SIM_READ,
	SIM_READ_TWO,
	SIM_WRITE,
	SIM_WRITE_REGISTER,
	SIM_ADD,
	SIM_BRANCH,
	SIM_REQUEST,
	SIM_ACQUIRE,
	SIM_ACQUIRE_SHARED,
	SIM_RELEASE,
	SIM_TRY,
	SIM_POST,
	SIM_SEM_WAIT,
	SIM_WAIT,
	SIM_WAKE,
	SIM_SIGNAL,
	SIM_BROADCAST,
	SIM_ARRIVE,
	SIM_LEAVE,
	SIM_ONCE,
	SIM_ONCE_END,
	SIM_FORK,
	SIM_BEGIN,
	SIM_JOIN,
	SIM_FREE,
};

struct sim_instruction {
	uint8_t code; /* enum sim_code */
	uint8_t object;
	uint8_t value; /* to write, or how many instructions to skip */
};

struct sim_program {
	uint32_t threads;
	struct {
		struct sim_instruction code[SIM_CODE];
		uint32_t length;
		bool is_forked;
	} thread[SIM_THREADS];
	uint32_t sem_value, barrier_count;
};

/* What an operation was, so that it can be recognised. */
struct sim_did {
	uint8_t code, object, skipped;
};

struct sim_run {
	struct history history;
	struct sim_did did[SIM_OPS_LARGE];
	uint8_t woke[SIM_OPS_LARGE]; /* of a signal: the thread that it woke plus one */
};

struct sim_random {
	uint64_t state;
};
uint32_t sim_random(struct sim_random *r, uint32_t below);

/* size: about how many instructions a thread has; 0: few. */
void sim_generate(struct sim_program *p, struct sim_random *r, uint32_t threads, uint32_t size);
/*
 * Run by a random schedule, for at most so many operations.  Guards: each read is frozen by the
 * next operation of its thread, or, with_branches, by its next branch.
 */
void sim_run(const struct sim_program *p, struct sim_random *r, bool with_branches, size_t most,
	     struct sim_run *out);
/* Run a witness; NULL, or what a thread did not do as it says. */
const char *sim_replay(const struct sim_program *p, struct sim_random *r, const struct sim_run *run,
		       const op_id *witness, size_t count);

#endif
