// SPDX-License-Identifier: Apache-2.0
/*
 * Witnesses of predictions that were confirmed: the execution that showed it, which so far is only a plan, is
 * made once more with all its events, and what `heddle replay` needs is written.  The same for a run that
 * failed by itself, which its seed makes again.  Apart from the rest, because the names of the ELF library
 * clash with those of the index.
 */
#include <string.h>

#include "cmd/predict_program.h"
#include "cmd/recording.h"

static void configure(const struct predict_showing *how, const struct execution_program *p,
		      struct session_explore *explore, struct run_options *run)
{
	struct recording recording = { .seed = how->seed, .steps = RECORDING_STEPS };
	recording_configure(&recording, p, how->argv, run);
	run->timeout = how->timeout;
	run->session.mask = how->mask;
	if (!how->plan)
		return;
	*explore = (struct session_explore){ .restart = RESTART_EXEC,
					     .step_limit = RECORDING_STEPS,
					     .counts_waits = true,
					     .recorded = how->plan };
	run->session.policy = POLICY_EXPLORE;
	run->session.explore = explore;
}

int predict_write_witness(const struct predict_showing *how, const char *path, bool *is_written,
			  struct err *err)
{
	struct execution_program p;
	struct session_explore explore;
	struct run_options run;
	struct run_result result;
	struct observer o;
	struct predict_streams streams;
	*is_written = false;
	int rc = execution_find_program(&p, how->program, err);
	if (rc) {
		execution_release_program(&p);
		return rc;
	}
	configure(how, &p, &explore, &run);
	observer_init(&o, p.path.at, true);
	predict_streams_hide(&streams, true);
	rc = observer_run(&o, &run, &result, err);
	predict_streams_restore(&streams);
	/* It must show again what it has shown; a schedule that does not is no witness. */
	*is_written = !rc && result.end == RUN_ENDED && (o.findings.list.len || !how->fails);
	if (*is_written && !o.findings.list.len) {
		o.witness.kind = mem_strdup(how->kind);
		o.witness.message = mem_strdup(how->message);
	}
	if (*is_written)
		rc = execution_write_witness(&o, &p, how->argv, &run, path, err);
	observer_release(&o);
	execution_release_program(&p);
	return rc;
}

void predict_replay_command(const char *witness, const char *program, struct buf *out)
{
	execution_replay_command(&(struct execution_again){ witness, program }, out);
}
