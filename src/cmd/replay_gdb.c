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

/* The only question so far: "events N", the last N steps of the threads side by side. */
static void answer(void *arg, const char *question, struct buf *out)
{
	struct observer *o = arg;
	static const char word[] = "events ";
	if (strncmp(question, word, strlen(word))) {
		buf_printf(out, "heddle does not know what '%s' means\n", question);
		return;
	}
	struct report_choice choice = { .limit = strtoul(question + strlen(word), NULL, 10) };
	struct report_style style = terminal_style(STDOUT_FILENO);
	struct scene_steps steps;
	scene_last_steps(&o->scene, &steps);
	report_steps(&steps, &choice, &o->names, &style, out);
	vec_release(&steps.events);
}

int replay_gdb_init(struct replay_gdb *g, struct observer *o, const char *extra, uint64_t until,
		    struct err *err)
{
	*g = (struct replay_gdb){0};
	if (session_find_program("gdb", &g->gdb, err))
		return err_set(err, ERR_SUPPORT,
			       "there is no gdb in PATH, which --gdb needs (Debian: apt install gdb)");
	int rc = file_find_own(EXTENSION_NAME, &g->extension, err);
	if (rc)
		return rc;
	if (until != REPLAY_GDB_NO_UNTIL) {
		struct buf command = {0};
		buf_printf(&command, "heddle until %llu", (unsigned long long)until);
		words_add(&g->args, "-ex");
		words_add(&g->args, command.at);
		buf_release(&command);
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
					      .answer_arg = o };
	return 0;
}

void replay_gdb_release(struct replay_gdb *g)
{
	buf_release(&g->gdb);
	buf_release(&g->extension);
	words_release(&g->args);
	vec_release(&g->argv);
}
