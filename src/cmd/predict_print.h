/* SPDX-License-Identifier: Apache-2.0 */
/* What heddle predict prints. */
#ifndef HEDDLE_CMD_PREDICT_PRINT_H
#define HEDDLE_CMD_PREDICT_PRINT_H

#include "prediction/prediction.h"

struct predict_command {
	struct prediction_request request;
	const char *kinds, *json;
	uint64_t seconds;
	bool is_quiet, has_stats, all_frames;
	const char *stage; /* what the progress line says */
	double printed;	   /* when it was printed last */
};

/* The progress line; callbacks of struct prediction_request, arg is a struct predict_command. */
void predict_print_stage(void *arg, const char *stage);
void predict_print_progress(void *arg, uint64_t done, uint64_t total, uint64_t found);
void predict_clear_progress(struct predict_command *c);

/* Findings and the summary; `from` is the trace or the program. */
void predict_print(struct prediction_result *r, const struct predict_command *c, const char *from);
int predict_write_json(struct prediction_result *r, const struct predict_command *c,
		       struct err *err);

#endif
