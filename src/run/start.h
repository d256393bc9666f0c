/* SPDX-License-Identifier: Apache-2.0 */
/* The start of a watched process, and what has to be prepared for forks, exit and preloading. */
#ifndef HEDDLE_RUN_START_H
#define HEDDLE_RUN_START_H

#include <stdbool.h>

void start_begin(void); /* once, before main; does nothing if the process is not watched */

/* takeover.c: this runtime is preloaded; the program was built for exploration and has another. */
bool takeover_is_preloaded(void);
bool takeover_needed(void);
void takeover(void);
/* exit.c: all other threads wait for a futex without a deadline. */
bool exit_others_wait(void);
void exit_begin(void); /* exit.c: from now on exit waits for other threads */
void fork_begin(void); /* fork.c: from now on children are watched */

#endif
