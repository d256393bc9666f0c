/* SPDX-License-Identifier: Apache-2.0 */
/* Signals to the tool that are meant for the program that it runs. */
#ifndef HEDDLE_EXEC_SIGNALS_H
#define HEDDLE_EXEC_SIGNALS_H

#include <signal.h>
#include <stdbool.h>

/*
 * Blocks the signals that are passed on, and SIGCHLD, and opens a descriptor to read them from.
 * Those that stop a process or report a fault keep their meaning.  < 0: errno says why not.
 */
int signals_open(sigset_t *mask_before);
/* The next one; 0: there is none.  The terminal sends its signals to the program, too. */
int signals_next(int fd, bool *is_of_terminal);

#endif
