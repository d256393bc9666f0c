/* SPDX-License-Identifier: Apache-2.0 */
/* The first difference between two traces; see difference.h. */
#include "trace/difference.h"

#include <string.h>

static bool is_same_place(const struct difference_side *a, const struct difference_side *b)
{
	if (!a->event.loc || !b->event.loc)
		return a->event.loc == b->event.loc;
	const struct location *x = &trace_reader_tables(a->reader)->locations.at[a->event.loc];
	const struct location *y = &trace_reader_tables(b->reader)->locations.at[b->event.loc];
	return x->offset == y->offset && x->line == y->line && x->column == y->column &&
	       !strcmp(x->function, y->function) && !strcmp(x->file, y->file);
}

static bool is_same_event(const struct difference_side *a, const struct difference_side *b)
{
	const struct event *x = &a->event, *y = &b->event;
	return x->thread == y->thread && x->kind == y->kind && x->mode == y->mode &&
	       x->flags == y->flags && x->size == y->size && x->obj == y->obj && x->a == y->a &&
	       x->b == y->b && x->data_len == y->data_len &&
	       (!x->data_len || !memcmp(x->data, y->data, x->data_len)) && is_same_place(a, b);
}

static int next_event(struct difference_side *s, struct err *err)
{
	int rc = trace_reader_next(s->reader, &s->event, err);
	s->has_event = rc > 0;
	return rc;
}

int difference_next(struct difference_side *a, struct difference_side *b, struct err *err)
{
	int rc = next_event(a, err);
	if (rc >= 0)
		rc = next_event(b, err);
	if (rc < 0)
		return rc;
	return a->has_event && b->has_event && is_same_event(a, b);
}
