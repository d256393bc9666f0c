/* SPDX-License-Identifier: Apache-2.0 */
/* The result of heddle check as JSON; doc/JSON.md is its description and changes with this file. */
#include "base/file.h"
#include "base/json.h"
#include "cmd/check_print.h"

static void json_outcome(struct check *c, struct json *j, size_t i)
{
	const struct outcome *o = &c->result.outcomes.at[i];
	json_begin_object(j);
	json_key(j, "stdout");
	json_bytes(j, o->output.at, o->output.len);
	json_key(j, "stderr");
	json_bytes(j, o->errors.at, o->errors.len);
	json_key(j, "exit");
	if (o->end == EXPLORE_EXIT)
		json_number(j, (uint64_t)(o->exit_status & 0xff));
	else
		json_string(j, NULL);
	json_key(j, "signal");
	if (o->failure == FAILURE_SIGNAL || o->failure == FAILURE_SIGNAL_SENT)
		json_number(j, o->failure_detail);
	else
		json_string(j, NULL);
	json_key(j, "failure");
	json_string(j, o->end == EXPLORE_FAILURE ? check_end_kind(c, i) : NULL);
	json_key(j, "executions");
	json_number(j, o->executions);
	json_key(j, "drawn");
	json_number(j, o->drawn);
	size_t index = i < c->outcome_repeat.len ? c->outcome_repeat.at[i] : NO_REPEAT;
	json_key(j, "witness");
	json_string(j, index != NO_REPEAT && c->repeats.at[index]->witness.len
			       ? c->repeats.at[index]->witness.at
			       : NULL);
	json_end_object(j);
}

static void json_spaces(const struct check *c, struct json *j)
{
	json_key(j, "spaces");
	json_begin_array(j);
	for (size_t i = 0; i < c->result.spaces.len; i++) {
		const struct explore_space *s = &c->result.spaces.at[i];
		json_begin_object(j);
		json_key(j, "races");
		json_number(j, s->races);
		json_key(j, "executions");
		json_number(j, s->executions);
		json_key(j, "redundant");
		json_number(j, s->redundant);
		json_key(j, "complete");
		json_bool(j, s->is_complete);
		json_end_object(j);
	}
	json_end_array(j);
}

/* All that were started; each is counted once. */
static void json_started(const struct explore_result *r, struct json *j)
{
	const struct {
		const char *name;
		uint64_t count;
	} sorts[] = {
		{ "complete", r->executions - r->dropped },
		{ "blocked", r->dropped },
		{ "redundant", r->redundant - r->given_up },
		{ "given_up", r->given_up },
		{ "drawn", r->drawn },
	};
	json_begin_object(j);
	for (size_t i = 0; i < sizeof(sorts) / sizeof(sorts[0]); i++) {
		json_key(j, sorts[i].name);
		json_number(j, sorts[i].count);
	}
	json_end_object(j);
}

int check_write_json(struct check *c, struct err *err)
{
	struct buf text = { 0 }, gap = { 0 };
	struct json j;
	c->summary.inconclusive = check_gap(c, &gap);
	json_init(&j, &text);
	report_json_begin(&j, &c->summary);
	json_key(&j, "redundant");
	json_number(&j, c->result.redundant);
	json_key(&j, "drawn");
	json_number(&j, c->result.drawn);
	json_key(&j, "dropped");
	json_number(&j, c->result.dropped);
	json_key(&j, "started");
	json_started(&c->result, &j);
	json_key(&j, "vacuous");
	json_bool(&j, check_is_vacuous(c));
	if (c->result.classes) {
		json_key(&j, "classes");
		json_number(&j, c->result.classes);
	}
	if (c->result.classes_are) {
		json_key(&j, "classes_are");
		json_string(&j, c->result.classes_are);
	}
	json_key(&j, "findings");
	json_begin_array(&j);
	for (size_t i = 0; i < c->findings.len; i++)
		report_json_finding(&j, &c->findings.at[i].repeat->made.observer.names,
				    check_finding(c, i));
	json_end_array(&j);
	if (c->options.has_outcomes) {
		json_key(&j, "outcomes");
		json_begin_array(&j);
		for (size_t i = 0; i < c->result.outcomes.len; i++)
			json_outcome(c, &j, i);
		json_end_array(&j);
	}
	if (c->result.spaces.len)
		json_spaces(c, &j);
	if (check_has_sampled_values(c))
		check_json_values(c, &j);
	json_end_object(&j);
	int rc = file_write(c->options.json, text.at, text.len, err);
	buf_release(&text);
	buf_release(&gap);
	return rc;
}
