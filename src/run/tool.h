/* SPDX-License-Identifier: Apache-2.0 */
/* The tool that watches this process: messages to it, and its start by a program of its own. */
#ifndef HEDDLE_RUN_TOOL_H
#define HEDDLE_RUN_TOOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Where messages go; false if the tool is gone. */
bool tool_set(uint32_t process, uint32_t key);
bool tool_is_set(void);
void tool_send(const char *text, size_t len);
/*
 * If HEDDLE_OPTIONS is set, the process becomes the tool, which runs the program again and watches
 * it.  Returns if it is not set, or says why the tool cannot be started.
 */
void tool_start(void);
/* The value of a variable of the environment; NULL: it is not set.  `name` ends with '='. */
const char *tool_setting(const char *name);

#endif
