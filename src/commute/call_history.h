/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Histories: calls of shared objects by several threads, with what they returned.  doc/SPEC.md
 * describes the file format.
 */
#ifndef HEDDLE_COMMUTE_CALL_HISTORY_H
#define HEDDLE_COMMUTE_CALL_HISTORY_H

#include "commute/spec.h"

#define HISTORY_PENDING UINT32_MAX

/* Moments are numbers of lines among those of calls and returns, from 0. */
struct history_call {
	uint32_t thread, instance;
	unsigned method;		 /* of the instance's object */
	uint32_t begin, end;		 /* end: HISTORY_PENDING if it has not returned */
	int64_t fields[SPEC_FIELDS_MAX]; /* arguments; results once it has returned */
};

struct history_instance {
	char *name;
	const struct spec_object *object;
};

struct call_history {
	VEC(char *) threads;
	VEC(struct history_instance) instances;
	VEC(struct history_call) calls; /* by `begin` */
	uint32_t moments;
};

/* Errors: ERR_FORMAT, whose sentence begins with PATH:LINE; for a file also ERR_IO.  The history is
 * to be released in any case, before the specification. */
int call_history_read(struct call_history *h, const struct spec *s, const char *path,
		      struct err *err);
int call_history_parse(struct call_history *h, const struct spec *s, const char *path,
		       const char *text, size_t len, struct err *err);
void call_history_release(struct call_history *h);
static inline const struct spec_method *history_method(const struct call_history *h,
						       const struct history_call *c)
{
	return &h->instances.at[c->instance].object->methods.at[c->method];
}

#endif
