// SPDX-License-Identifier: Apache-2.0
/*
 * The program that predictions are confirmed with; apart, because the names of the ELF library clash with
 * those of the index.
 */
#include "cmd/predict_program.h"

#include "cmd/execution.h"

int predict_find_program(const char *name, struct buf *path, struct err *err)
{
	struct execution_program p;
	int rc = execution_find_program(&p, name, err);
	if (!rc)
		buf_str(path, p.path.at);
	execution_release_program(&p);
	return rc;
}
