/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One controlled run as the commands see it: the program's events go into a trace, a scene, a
 * witness and findings, and past an optional judge (a replay compares).  Owns all of them.
 */
#ifndef HEDDLE_DRIVE_OBSERVER_H
#define HEDDLE_DRIVE_OBSERVER_H

#include "drive/target.h"
#include "exec/decode.h"
#include "exec/run.h"
#include "exec/source.h"
#include "report/finding.h"
#include "report/names.h"
#include "report/report.h"
#include "report/scene.h"
#include "trace/sparse.h"
#include "trace/trace.h"
#include "trace/witness.h"

/* Looks at every event before anything else does; a negative return ends the run with that error.
 */
typedef int (*observer_judge)(void *arg, const struct event *e, struct err *err);

struct observer_outside {
	loc_id loc; /* of the read */
	/* region of the module without hooks that made the block; 0 if none did */
	uint32_t library;
};

struct observer {
	struct decoder *decoder;
	struct source *source;
	struct scene scene;
	struct names names;
	struct witness witness;
	struct findings findings;
	enum finding_status status;  /* that findings of this run get */
	struct trace_writer *writer; /* NULL: no trace is written */
	/* in front of the writer: not everything is kept; NULL: it is */
	struct sparse *sparse;
	observer_judge judge; /* NULL: none */
	void *judge_arg;
	VEC(char *) notes; /* what the runtime wants the user to know */
	/* reads that found a value that no observed write wrote */
	VEC(struct observer_outside) outside_writes;
	uint64_t choices;
	uint64_t left_for_later; /* events that need the scene, seen while not live */
	const char *trace_path;	 /* where the writer writes; needed if not live */
	bool is_live;
	bool has_process_end;
	/* sentence about a call that is not supported; NULL if there was none */
	char *refused;
	uint8_t last_kind;

	/* Private. */
	struct decode_sink sink;
	struct decode_resolver resolver;
};

/*
 * Live: every access is looked at as it comes, which a judge and a trace that cannot be read
 * again need. Otherwise accesses go into the trace unseen, which is several times as fast, and
 * findings are made from the trace at the end.
 */
void observer_init(struct observer *o, const char *program_path, bool is_live);
void observer_release(struct observer *o);
/* Before the run, of a live observer: accesses to what only one thread touches do not get into
 * the trace (sparse.h). */
void observer_keep_shared(struct observer *o);

/*
 * Run the program, then end the trace with the facts that trace.h names.  The witness is finished
 * but has no program and message yet.  Errors: those of run_program, and ERR_IO for the trace;
 * the trace keeps what came before.
 */
int observer_run(struct observer *o, const struct run_options *options, struct run_result *result,
		 struct err *err);

/*
 * The source position of an address of code of the program that was run.  False: it is in no
 * module that this run had; otherwise the caller frees function and file.
 */
bool observer_locate(struct observer *o, uint64_t pc, struct location *l);

/* How the program ended: "exit 3", "signal 11", "stopped", "lost". */
void observer_end_text(const struct observer *o, const struct run_result *r, struct buf *out);

/* Names of the libraries that have no hooks and whose functions are not known either; "" if there
 * are none. */
void observer_unseen_libraries(const struct observer *o, struct buf *out);

/* Say which libraries and writes were not seen; false: there were some. */
bool observer_assume_unseen(struct observer *o, struct report_summary *s);
/* What the verdict rests on: fixed words, doc/JSON.md.  Also decides whether it is complete. */
void observer_assumptions(struct observer *o, const struct run_result *r, struct report_summary *s);

/* Say in the witness which program it is of. */
void observer_identify_witness(struct observer *o, const struct target *p, char *const *argv,
			       const struct run_options *options);
/* Write the identified witness as one of this finding; NULL: of none.  Errors: ERR_IO. */
int observer_save_witness(struct observer *o, const struct finding *f, const char *path,
			  struct err *err);
/* Both, for the first finding. */
int observer_write_witness(struct observer *o, const struct target *p, char *const *argv,
			   const struct run_options *options, const char *path, struct err *err);

#endif
