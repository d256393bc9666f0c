/* SPDX-License-Identifier: Apache-2.0 */
/* heddle replay --gdb: where gdb and heddle's extension of it are, how gdb is started, what its
 * questions are. */
#ifndef HEDDLE_CMD_REPLAY_GDB_H
#define HEDDLE_CMD_REPLAY_GDB_H

#include "base/process.h"
#include "exec/debugger.h"
#include "drive/observer.h"

#define REPLAY_GDB_NO_UNTIL UINT64_MAX

struct replay_gdb {
	struct debugger_config config; /* for the run */

	/* Private. */
	struct observer *observer;
	const struct witness *witness;
	struct buf gdb, extension;
	struct words args;
	VEC(char *) argv;
};

/*
 * With the witness of a race gdb goes to its first access. `extra` are further arguments of gdb,
 * one string as a shell reads it, NULL for none; until: run up to this event first.  Errors:
 * ERR_SUPPORT (there is no gdb, or no extension).  Release in any case.
 */
int replay_gdb_init(struct replay_gdb *g, struct observer *o, const struct witness *w,
		    const char *extra, uint64_t until, struct err *err);
void replay_gdb_release(struct replay_gdb *g);

#endif
