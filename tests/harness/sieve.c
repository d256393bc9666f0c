/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Compares the history of a trace with the history of what the sieve leaves of it: they must be
 * the same, operation by operation, with the same reads, guards, locks and orders.
 *
 *   sieve TRACE COPY
 *
 * Prints how many events and operations there were, or the first difference, and then fails.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "oracle/from_trace.h"
#include "oracle/sieve.h"

static void check(int rc, const struct err *err)
{
	if (!rc)
		return;
	fprintf(stderr, "sieve: %s\n", err->text);
	exit(3);
}

static void make(const char *trace, enum history_guards guards, struct trace_index *x,
		 struct history_source *s)
{
	struct err err;
	check(index_build(x, trace, NULL, &err), &err);
	check(history_from_trace(s, trace, x, guards, &err), &err);
}

static bool is_same_event(const struct index_event *a, const struct index_event *b)
{
	return a->kind == b->kind && a->thread == b->thread && a->obj == b->obj &&
	       a->loc == b->loc && a->size == b->size && a->mode == b->mode;
}

static bool is_same_op(const struct op *a, const struct op *b)
{
	return a->thread == b->thread && a->own == b->own && a->guard == b->guard &&
	       a->kind == b->kind && a->match == b->match &&
	       (a->lock == b->lock || a->kind < OP_ACQUIRE) && a->is_shared == b->is_shared &&
	       a->accesses == b->accesses && a->causes == b->causes;
}

static bool is_same_access(const struct op_access *a, const struct op_access *b)
{
	return a->op == b->op && a->variable == b->variable && a->seen == b->seen &&
	       a->reads == b->reads && a->writes == b->writes && a->has_twin == b->has_twin &&
	       a->value == b->value && a->written == b->written;
}

static const char *compare(const struct history *a, const struct trace_index *x,
			   const struct history *b, const struct trace_index *y)
{
	for (size_t i = 0; i < a->ops.len && i < b->ops.len; i++) {
		if (!is_same_event(&x->events[a->ops.at[i].event],
				   &y->events[b->ops.at[i].event])) {
			printf("operation %zu, events %u and %u: ", i, a->ops.at[i].event,
			       b->ops.at[i].event);
			return "an operation is another event";
		}
		if (!is_same_op(&a->ops.at[i], &b->ops.at[i]))
			return "an operation differs";
	}
	if (a->ops.len != b->ops.len || a->accesses.len != b->accesses.len ||
	    a->variables != b->variables || a->threads != b->threads ||
	    a->has_values != b->has_values)
		return "the histories have different sizes";
	for (size_t i = 0; i < a->accesses.len; i++)
		if (!is_same_access(&a->accesses.at[i], &b->accesses.at[i]))
			return "an access differs";
	if (a->causes.len != b->causes.len || a->orders.len != b->orders.len ||
	    (a->causes.len &&
	     memcmp(a->causes.at, b->causes.at, a->causes.len * sizeof(*a->causes.at))) ||
	    (a->orders.len &&
	     memcmp(a->orders.at, b->orders.at, a->orders.len * sizeof(*a->orders.at))))
		return "causes or orders differ";
	return NULL;
}

int main(int argc, char **argv)
{
	struct sieve_result result;
	struct err err;
	if (argc != 3)
		return 2;
	check(sieve_trace(argv[1], argv[2], &(struct sieve_options){ .always = true }, &result,
			  &err),
	      &err);
	size_t operations = 0;
	for (int guards = GUARDS_ALL; guards <= GUARDS_BRANCHES; guards++) {
		struct trace_index x, y;
		struct history_source a, b;
		make(argv[1], (enum history_guards)guards, &x, &a);
		make(argv[2], (enum history_guards)guards, &y, &b);
		const char *flaw = compare(&a.h, &x, &b.h, &y);
		if (flaw) {
			printf("%s: %s\n", argv[1], flaw);
			return 1;
		}
		operations = a.h.ops.len;
		history_source_release(&a);
		history_source_release(&b);
		index_close(&x);
		index_close(&y);
	}
	printf("%llu events, %llu kept, %zu operations\n", (unsigned long long)result.events,
	       (unsigned long long)result.kept, operations);
	return 0;
}
