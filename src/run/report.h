/* SPDX-License-Identifier: Apache-2.0 */
/* Telling the tool: one message for each finding, in text (wire/run.h). */
#ifndef HEDDLE_RUN_REPORT_H
#define HEDDLE_RUN_REPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

void report_hello(const char *how);
bool is_benign(uintptr_t address, size_t size); /* annotate.c: the program knows of races there */

#endif
