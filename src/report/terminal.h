/* SPDX-License-Identifier: Apache-2.0 */
/* What the terminal can show. */
#ifndef HEDDLE_TERMINAL_H
#define HEDDLE_TERMINAL_H

#include "report/report.h"

/* Colours only on a terminal and unless NO_COLOR is set; its width, or 100 columns. */
struct report_style terminal_style(int fd);

#endif
