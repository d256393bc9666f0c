/* SPDX-License-Identifier: Apache-2.0 */
/* Internal control variables of OpenMP: defaults, the environment, and what a task inherits. */
#ifndef HEDDLE_OMP_SETTINGS_H
#define HEDDLE_OMP_SETTINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The numbers are part of the interface between compiler and library. */
enum loop_kind {
	LOOP_RUNTIME = 0,
	LOOP_STATIC = 1,
	LOOP_DYNAMIC = 2,
	LOOP_GUIDED = 3,
	LOOP_AUTO = 4,
};
#define LOOP_MONOTONIC 0x80000000u

/* Each task has its own; it begins with those of the task that created it. */
struct task_settings {
	unsigned threads;  /* of the next parallel region; 0: as many as processors */
	unsigned schedule; /* enum loop_kind, perhaps with LOOP_MONOTONIC */
	uint64_t chunk;
	unsigned max_active_levels;
	int device;
	bool is_dynamic;
};

struct settings {
	struct task_settings first;  /* of the initial task */
	unsigned nested_threads[16]; /* OMP_NUM_THREADS=a,b,c: of regions at level 1, 2, ... */
	unsigned nested_count;
	unsigned thread_limit;
	unsigned teams, teams_thread_limit;
	int max_task_priority;
	size_t stack_size; /* 0: the default of pthreads */
	bool can_cancel;
};

extern struct settings heddle_omp_settings;

unsigned heddle_omp_processors(void);

#endif
