/* SPDX-License-Identifier: Apache-2.0 */
/* The program under test: where it is, and what its file shows; see target.h. */
#include "drive/target.h"

#include "exec/session.h"

int target_find(struct target *t, const char *name, struct err *err)
{
	*t = (struct target){ 0 };
	int rc = session_find_program(name, &t->path, err);
	return rc ? rc : program_inspect(t->path.at, &t->info, err);
}

void target_release(struct target *t)
{
	buf_release(&t->path);
	program_info_release(&t->info);
}
