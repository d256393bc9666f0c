/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Standard output and standard error lead nowhere for a while, so that a program that inherits them is not
 * heard.  Programs can tell a terminal from other files: in place of one there is a terminal that nobody
 * sees.
 */
#ifndef HEDDLE_CMD_HIDDEN_OUTPUT_H
#define HEDDLE_CMD_HIDDEN_OUTPUT_H

#include <pthread.h>
#include <stdbool.h>

struct hidden_output {
	int kept[2];		/* what they were; -1: unchanged */
	int terminal;		/* our end of the unseen one; -1: there is none */
	pthread_t reader;	/* takes what is written to it */
	bool has_reader;
};

void hide_output(struct hidden_output *h);
void show_output(struct hidden_output *h);

#endif
