/* SPDX-License-Identifier: Apache-2.0 */
/* gdb on a replayed run; see replay_gdb.h. */
#include "cmd/replay_gdb.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "cc/response.h"
#include "report/terminal.h"

#define EXTENSION_NAME "heddle_gdb.py"

/* The last steps of the threads side by side. */
static void answer_events(struct observer *o, size_t limit, struct buf *out)
{
	struct report_choice choice = { .limit = limit };
	struct report_style style = terminal_style(STDOUT_FILENO);
	struct scene_steps steps;
	scene_last_steps(&o->scene, &steps);
	report_steps(&steps, &choice, &o->names, &style, out);
	vec_release(&steps.events);
}

static void answer_findings(struct observer *o, struct buf *out)
{
	struct report_style style = terminal_style(STDOUT_FILENO);
	for (size_t i = 0; i < o->findings.list.len; i++)
		report_finding(&o->findings.list.at[i], &o->names, &style, NULL, out);
}

/*
 * The questions: "events N", the last N steps; "race", the numbers of the two events that are the
 * accesses of the race, or nothing; "findings", all so far.
 */
static void answer(void *arg, const char *question, struct buf *out)
{
	struct replay_gdb *g = arg;
	static const char events[] = "events ";
	if (!strncmp(question, events, strlen(events)))
		answer_events(g->observer, strtoul(question + strlen(events), NULL, 10), out);
	else if (!strcmp(question, "findings"))
		answer_findings(g->observer, out);
	else if (strcmp(question, "race"))
		buf_printf(out, "heddle does not know what '%s' means\n", question);
	else if (witness_has_race(g->witness))
		buf_printf(out, "%llu %llu\n", (unsigned long long)g->witness->race[0],
			   (unsigned long long)g->witness->race[1]);
}

int replay_gdb_init(struct replay_gdb *g, struct observer *o, const struct witness *w,
		    const char *extra, uint64_t until, struct err *err)
{
	*g = (struct replay_gdb){ .observer = o, .witness = w };
	if (session_find_program("gdb", &g->gdb, err))
		return err_set(
			err, ERR_SUPPORT,
			"there is no gdb in PATH, which --gdb needs (Debian: apt install gdb)");
	int rc = file_find_own(EXTENSION_NAME, &g->extension, err);
	if (rc)
		return rc;
	if (until != REPLAY_GDB_NO_UNTIL) {
		struct buf command = { 0 };
		buf_printf(&command, "heddle until %llu", (unsigned long long)until);
		words_add(&g->args, "-ex");
		words_add(&g->args, command.at);
		buf_release(&command);
	}
	if (until == REPLAY_GDB_NO_UNTIL && witness_has_race(w)) {
		words_add(&g->args, "-ex");
		words_add(&g->args, "heddle race");
	}
	if (extra)
		response_split(extra, strlen(extra), &g->args);
	for (size_t i = 0; i < g->args.list.len; i++)
		vec_push(&g->argv, g->args.list.at[i]);
	vec_push(&g->argv, NULL);
	g->config = (struct debugger_config){ .gdb = g->gdb.at,
					      .extension = g->extension.at,
					      .args = g->argv.at,
					      .answer = answer,
					      .answer_arg = g };
	return 0;
}

void replay_gdb_release(struct replay_gdb *g)
{
	buf_release(&g->gdb);
	buf_release(&g->extension);
	words_release(&g->args);
	vec_release(&g->argv);
}
