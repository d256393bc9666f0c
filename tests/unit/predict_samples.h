/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Traces as text for the tests of src/predict: events as `heddle trace print --format=text`
 * prints them, places @1 to @SAMPLE_PLACES are there already.
 */
#ifndef HEDDLE_PREDICT_SAMPLES_H
#define HEDDLE_PREDICT_SAMPLES_H

#include "oracle/from_trace.h"
#include "predict/finder.h"
#include "unit/trace_samples.h"

#define SAMPLE_PLACES 30

/* A finder that has looked at nothing yet. */
struct sample_finder {
	struct trace_index x;
	struct history_source source;
	struct predict_options options;
	struct prediction out;
	struct finder f;
};

static inline void sample_finder_open(struct sample_finder *s, const char *events)
{
	struct err err;
	const char *path = sample_path("sample.trace");
	FILE *file = fopen(path, "w");
	assert_non_null(file);
	fputs("heddle-trace 1\n", file);
	for (int i = 1; i <= SAMPLE_PLACES; i++)
		fprintf(file, "location %d function=\"f\" file=\"f.c\" line=%d\n", i, i);
	unsigned count = 1;
	for (const char *line = events; (line = strchr(line, '\n')); line++)
		count += line[1] == 'T';
	fprintf(file, "%s\nfact events \"%u\"\nend\n", events, count);
	assert_int_equal(fclose(file), 0);
	*s = (struct sample_finder){ 0 };
	sample_ok(index_build(&s->x, path, NULL, &err), &err);
	sample_ok(history_from_trace(&s->source, path, &s->x, GUARDS_ALL, &err), &err);
	s->f = (struct finder){ .h = &s->source.h, .x = &s->x, .o = &s->options, .out = &s->out };
	finder_init(&s->f);
}

static inline void sample_finder_close(struct sample_finder *s)
{
	finder_release(&s->f);
	prediction_release(&s->out);
	history_source_release(&s->source);
	index_close(&s->x);
}

/* The places of a candidate's operations, as "3 7". */
static inline const char *sample_places(const struct sample_finder *s, const struct candidate *c)
{
	static char text[100];
	size_t n = 0;
	text[0] = 0;
	for (size_t i = 0; i < c->ops.len && n < sizeof(text); i++)
		n += (size_t)snprintf(text + n, sizeof(text) - n, "%s%u", i ? " " : "",
				      finder_place(&s->f, c->ops.at[i]));
	return text;
}

/* Whether there is a candidate of this kind with these places. */
static inline bool sample_has(const struct sample_finder *s, enum finding_kind kind,
			      const char *places)
{
	for (size_t i = 0; i < s->f.candidates.len; i++)
		if (s->f.candidates.at[i].kind == kind &&
		    !strcmp(sample_places(s, &s->f.candidates.at[i]), places))
			return true;
	return false;
}

#endif
