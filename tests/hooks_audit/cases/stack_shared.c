/* SPDX-License-Identifier: Apache-2.0 */
/* Memory of the own stack that others can reach by pointer: locals, variable-length arrays, alloca. */
#include <alloca.h>

#include "../case.h"

struct job {
	int state;
	long result[3];
};

extern int st_value;
extern struct job *st_job;
int st_value = 3;
struct job *st_job;

CASE(local, "local variable whose address was given away")
{
	int local = 1;
	audit_share(&local, sizeof(local));
	local = st_value;
	st_value = local + 1;
}

CASE(local_struct, "local struct whose address was given away")
{
	struct job job = { 0 };
	st_job = &job;
	audit_share(&job, sizeof(job));
	job.state = st_value;
	job.result[1] = job.state;
	st_value = (int)job.result[1];
	st_job = NULL;
}

CASE(variable_length, "variable-length array whose address was given away")
{
	size_t n = audit_hide_size(6);
	int at[n];
	audit_share(at, n * sizeof(at[0]));
	for (size_t i = 0; i < n; i++)
		at[i] = (int)i;
	st_value = at[n - 1];
}

CASE(alloca_memory, "memory of alloca whose address was given away")
{
	size_t n = audit_hide_size(4);
	long *at = alloca(n * sizeof(*at));
	audit_share(at, n * sizeof(*at));
	at[0] = st_value;
	at[n - 1] = at[0];
	audit_share(at, 1);
	st_value = (int)at[n - 1] + 1;
}

OPAQUE void callee(struct job *job)
{
	job->state++;
	job->result[2] = job->state;
}

CASE(callee_writes, "local struct written by a function that gets its address")
{
	struct job job = { 0 };
	audit_share(&job, sizeof(job));
	callee(&job);
	st_value = (int)job.result[2];
}

OPAQUE void by_value(struct job job)
{
	audit_share(&job, sizeof(job));
	job.state = st_value;
	st_value = (int)job.result[0];
}

CASE(parameter, "parameter whose address was given away")
{
	struct job job = { .state = 3 };
	by_value(job);
}
