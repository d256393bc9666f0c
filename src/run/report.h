/* SPDX-License-Identifier: Apache-2.0 */
/* Telling the tool: one message for each finding, in text (wire/run.h). */
#ifndef HEDDLE_RUN_REPORT_H
#define HEDDLE_RUN_REPORT_H

void report_hello(const char *how);

#endif
