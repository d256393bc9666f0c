/* SPDX-License-Identifier: Apache-2.0 */
/* heddle spec history: whether a history of calls is linearizable. */
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/buf.h"
#include "cmd/spec_cmd.h"
#include "commute/linear.h"

#define COLUMN 26 /* characters for each thread */
#define INDENT 7

/* ---- as text ---- */

static void add_value(const struct spec_variable *v, int64_t value, struct buf *out)
{
	if (v->type == SPEC_BOOL)
		buf_str(out, value ? "true" : "false");
	else
		buf_printf(out, "%lld", (long long)value);
}

static void add_call(const struct call_history *h, const struct history_call *c, struct buf *out)
{
	const struct spec_method *m = history_method(h, c);
	buf_printf(out, "%s(", m->name);
	for (unsigned i = 0; i < m->parameters; i++) {
		buf_str(out, i ? ", " : "");
		add_value(&m->fields.at[i], c->fields[i], out);
	}
	buf_char(out, ')');
}

/* Also if there are none, which is "done". */
static void add_results(const struct spec_method *m, const int64_t *fields, struct buf *out)
{
	for (size_t i = m->parameters; i < m->fields.len; i++) {
		buf_str(out, i > m->parameters ? ", " : "");
		add_value(&m->fields.at[i], fields[i], out);
	}
	if (m->fields.len == m->parameters)
		buf_str(out, "done");
}

static void add_whole(const struct call_history *h, const struct history_call *c, struct buf *out)
{
	const struct spec_method *m = history_method(h, c);
	add_call(h, c, out);
	if (c->end == HISTORY_PENDING) {
		buf_str(out, " (pending)");
	} else if (m->fields.len > m->parameters) {
		buf_str(out, " -> ");
		add_results(m, c->fields, out);
	}
}

/* ---- the history, a column for each thread ---- */

static void print_cell(uint32_t thread, const char *text)
{
	printf("%*s%s\n", INDENT + (int)(thread < 100 ? thread : 100) * COLUMN, "", text);
}

static void print_columns(const struct call_history *h, uint32_t instance, uint32_t moments)
{
	VEC(uint32_t) call_at = { 0 }; /* of each moment: a call of the instance, plus one */
	struct buf names = { 0 };
	vec_grow_zeroed(&call_at, moments);
	for (uint32_t i = 0; i < h->calls.len; i++) {
		const struct history_call *c = &h->calls.at[i];
		if (c->instance == instance && c->begin < moments)
			call_at.at[c->begin] = i + 1;
		if (c->instance == instance && c->end < moments)
			call_at.at[c->end] = i + 1;
	}
	for (uint32_t t = 0; t < h->threads.len; t++)
		buf_printf(&names, "%-*.*s", COLUMN, COLUMN - 2, h->threads.at[t]);
	while (names.len && names.at[names.len - 1] == ' ')
		names.at[--names.len] = 0;
	printf("\n%*s%s\n", INDENT, "", names.at);
	for (uint32_t moment = 0; moment < moments; moment++) {
		if (!call_at.at[moment])
			continue;
		const struct history_call *c = &h->calls.at[call_at.at[moment] - 1];
		struct buf text = { 0 };
		if (c->begin == moment) {
			add_call(h, c, &text);
		} else {
			buf_str(&text, "-> ");
			add_results(history_method(h, c), c->fields, &text);
		}
		print_cell(c->thread, text.at);
		buf_release(&text);
	}
	buf_release(&names);
	vec_release(&call_at);
}

/* ---- why there is no order ---- */

/* What the call gives in the state, if that is not what it gave. */
static void explain_call(const struct call_history *h, const struct history_call *c,
			 const struct model_state *state)
{
	const struct spec_object *o = h->instances.at[c->instance].object;
	const struct spec_method *m = history_method(h, c);
	struct model_state after = *state;
	int64_t fields[SPEC_FIELDS_MAX];
	struct buf text = { 0 };
	memcpy(fields, c->fields, sizeof(fields));
	add_whole(h, c, &text);
	buf_printf(&text, " of %s", h->threads.at[c->thread]);
	switch (model_call(o, m, &after, fields)) {
	case MODEL_DISABLED:
		buf_str(&text, " is not enabled");
		break;
	case MODEL_FULL:
		buf_str(&text, " needs a larger collection than the model has");
		break;
	case MODEL_DONE:
		if (memcmp(fields, c->fields, m->fields.len * sizeof(*fields)) != 0) {
			buf_str(&text, " would have to return ");
			add_results(m, fields, &text);
		} else {
			buf_str(&text, " leads to no order of the others");
		}
		break;
	}
	printf("    %s\n", text.at);
	buf_release(&text);
}

static bool is_in(const struct linear *l, uint32_t call)
{
	for (size_t i = 0; i < l->order.len; i++)
		if (l->order.at[i] == call)
			return true;
	return false;
}

static void print_order(const struct call_history *h, const struct linear *l)
{
	for (size_t i = 0; i < l->order.len; i++) {
		const struct history_call *c = &h->calls.at[l->order.at[i]];
		struct buf text = { 0 };
		add_whole(h, c, &text);
		printf("    %s of %s\n", text.at, h->threads.at[c->thread]);
		buf_release(&text);
	}
}

/* The beginning of the history that has no order, and how far the longest attempt came. */
static void explain(const struct call_history *h, uint32_t instance, uint64_t limit)
{
	const struct spec_object *o = h->instances.at[instance].object;
	uint32_t moments = linear_shortest(h, instance, limit);
	struct linear l;
	struct buf state = { 0 };
	linear_check(h, instance, moments, limit, &l);
	print_columns(h, instance, moments);
	printf("\n  %s\n", l.order.len ? "the longest order that gives these results:"
				       : "no call can be the first:");
	print_order(h, &l);
	model_print(o, &l.state, &state);
	printf("  then, with %s:\n", state.len ? state.at : "no state");
	for (uint32_t i = 0; i < h->calls.len; i++) {
		const struct history_call *c = &h->calls.at[i];
		bool is_next = c->instance == instance && c->begin < moments && !is_in(&l, i) &&
			       c->end < moments;
		if (is_next)
			explain_call(h, c, &l.state);
	}
	printf("\n");
	buf_release(&state);
	linear_release(&l);
}

/* ---- the command ---- */

struct history_options {
	uint64_t states;
	bool has_order;
};

static enum linear_end check_instance(const struct call_history *h, uint32_t instance,
				      const struct history_options *o)
{
	const struct history_instance *it = &h->instances.at[instance];
	struct linear l;
	size_t calls = 0, pending = 0;
	for (size_t i = 0; i < h->calls.len; i++) {
		calls += h->calls.at[i].instance == instance;
		pending += h->calls.at[i].instance == instance &&
			   h->calls.at[i].end == HISTORY_PENDING;
	}
	linear_check(h, instance, h->moments, o->states, &l);
	static const char *const verdicts[] = {
		[LINEAR_YES] = "linearizable",
		[LINEAR_NO] = "not linearizable",
		[LINEAR_UNKNOWN] = "not decided",
	};
	printf("%s (%s): %s, %zu call%s", it->name, it->object->name, verdicts[l.end], calls,
	       calls == 1 ? "" : "s");
	if (pending)
		printf(", %zu of them pending", pending);
	printf(", %llu state%s\n", (unsigned long long)l.states, l.states == 1 ? "" : "s");
	if (l.end == LINEAR_YES && o->has_order)
		print_order(h, &l);
	if (l.end == LINEAR_NO)
		explain(h, instance, o->states);
	linear_release(&l);
	return l.end;
}

static int check_history(const char *spec_path, const char *path, const struct history_options *o,
			 int *status, struct err *err)
{
	struct spec s;
	struct call_history h = { 0 };
	int rc = spec_read(&s, spec_path, err);
	if (!rc)
		rc = call_history_read(&h, &s, path, err);
	for (uint32_t i = 0; i < h.instances.len && !rc; i++) {
		enum linear_end end = check_instance(&h, i, o);
		if (end == LINEAR_NO)
			*status = EXIT_FINDING;
		else if (end == LINEAR_UNKNOWN && *status == EXIT_NOTHING)
			*status = EXIT_INCONCLUSIVE;
	}
	call_history_release(&h);
	spec_release(&s);
	return rc;
}

int cmd_spec_history(int argc, char **argv)
{
	struct history_options options = { 1000000, false };
	const struct opt table[] = {
		{ 0, "states", OPT_NUMBER, &options.states, "N",
		  "Give up on an object after N states (default 1000000).", 1, UINT64_MAX, NULL },
		{ 0, "order", OPT_FLAG, &options.has_order, NULL,
		  "Print an order of the calls, if there is one.", 0, 0, NULL },
		{ 0 },
	};
	const struct opt_spec spec = {
		"spec history",
		"SPECIFICATION HISTORY",
		"Checks whether a history of calls is linearizable.",
		"The history is a file with a line for each call and each return, in their order.  "
		"It is\n"
		"linearizable if the calls of each object can be put into an order that gives "
		"their\n"
		"results in the model of the specification, and in which a call that returned "
		"before\n"
		"another one began comes first.\n",
		table,
		NULL,
	};
	struct err err;
	int operand, status = EXIT_NOTHING;
	bool help;
	int rc = cmd_parse(&spec, "specification", argc, argv, &operand, &help, &err);
	if (!rc && help)
		return EXIT_NOTHING;
	if (!rc && argc - operand != 2)
		rc = err_set(&err, ERR_USAGE,
			     "heddle spec history: give a specification and a history");
	if (!rc)
		rc = check_history(argv[operand], argv[operand + 1], &options, &status, &err);
	if (!rc && fflush(stdout))
		rc = err_set(&err, ERR_IO, "standard output: %m");
	return rc ? cmd_fail(rc, &err) : status;
}
