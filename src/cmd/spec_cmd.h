/* SPDX-License-Identifier: Apache-2.0 */
/* Subcommands of heddle spec. */
#ifndef HEDDLE_CMD_SPEC_CMD_H
#define HEDDLE_CMD_SPEC_CMD_H

#include "cmd/cmd.h"

int cmd_spec_check(int argc, char **argv);
int cmd_spec_history(int argc, char **argv);
int cmd_spec_infer(int argc, char **argv);

#endif
