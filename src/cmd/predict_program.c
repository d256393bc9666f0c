// SPDX-License-Identifier: Apache-2.0
/*
 * The program that predictions are about; apart, because the names of the ELF library clash with those of the
 * index.
 */
#include "cmd/predict_program.h"

#include <errno.h>
#include <fcntl.h>
#include <time.h>
#include <unistd.h>

#include "cmd/recording.h"

int predict_find_program(const char *name, struct buf *path, struct err *err)
{
	struct execution_program p;
	int rc = execution_find_program(&p, name, err);
	if (!rc)
		buf_str(path, p.path.at);
	execution_release_program(&p);
	return rc;
}

/* ---- its standard streams ---- */

void predict_streams_hide(struct predict_streams *s, bool with_output)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);
	s->at = lseek(0, 0, SEEK_CUR);
	for (int fd = 0; fd < 3; fd++) {
		s->kept[fd] = -1;
		if (null < 0 || (fd == 0 ? s->at >= 0 : !with_output))
			continue;
		s->kept[fd] = fcntl(fd, F_DUPFD_CLOEXEC, 3);
		dup2(null, fd);
	}
	if (null >= 0)
		close(null);
}

void predict_streams_restore(struct predict_streams *s)
{
	for (int fd = 0; fd < 3; fd++)
		if (s->kept[fd] >= 0) {
			dup2(s->kept[fd], fd);
			close(s->kept[fd]);
		}
	if (s->at >= 0)
		lseek(0, s->at, SEEK_SET);
}

/* ---- recording ---- */

/* An end for which the tool or the machine is to blame. */
static int judge(const struct run_result *result, const char *program, struct err *err)
{
	switch (result->end) {
	case RUN_DAMAGED:
	case RUN_ASLEEP:
	case RUN_UNCONTROLLED:
	case RUN_UNSUPPORTED:
		return err_set(err, ERR_SUPPORT, "%s: %.800s", program, result->text.text);
	default: return 0;
	}
}

int predict_record(const struct predict_recording *how, const char *trace, bool *is_interrupted,
		   struct err *err)
{
	struct execution_program p;
	struct recording recording = { .seed = how->seed, .steps = how->steps };
	struct run_options run;
	struct run_result result;
	struct observer o;
	struct predict_streams streams;
	int rc = execution_find_program(&p, how->argv[0], err);
	if (rc) {
		execution_release_program(&p);
		return rc;
	}
	recording_configure(&recording, &p, how->argv, &run);
	if (how->nanoseconds) {
		struct timespec now;
		clock_gettime(CLOCK_MONOTONIC, &now);
		run.end_by = (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec + how->nanoseconds;
	}
	run.session.mask = how->mask;
	observer_init(&o, p.path.at, false);
	rc = trace_writer_open(&o.writer, trace, TRACE_BINARY, err);
	if (!rc) {
		trace_writer_expect_chunks(o.writer);
		recording_write_facts(o.writer, &recording, &run, &p);
		o.trace_path = trace;
		predict_streams_hide(&streams, true);
		rc = observer_run(&o, &run, &result, err);
		predict_streams_restore(&streams);
	}
	if (!rc)
		rc = judge(&result, p.path.at, err);
	*is_interrupted = !rc && result.end == RUN_INTERRUPTED;
	observer_release(&o);
	execution_release_program(&p);
	return rc;
}
