/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Iterative deepening in bytes; see deepen.h.  Points are in the order of their numbers, jobs in
 * that of their creation, a job that has a state space is followed by its search.
 */
#include "explore/deepening/deepen.h"

#include "base/alloc.h"

/* ---- writing ---- */

static void save_set(const struct point_set *s, struct buf *out)
{
	buf_varint(out, s->words.len);
	for (size_t i = 0; i < s->words.len; i++)
		buf_varint(out, s->words.at[i]);
}

static void save_job(const struct job *job, struct buf *out)
{
	const struct space *s = job->space;
	save_set(&job->points, out);
	buf_varint(out, job->state);
	buf_varint(out, (uint64_t)job->may_spawn | (uint64_t)job->found_bug << 1 |
				(uint64_t)(s != NULL) * 12);
	buf_varint(out, job->executions);
	buf_add(out, &job->eta, sizeof(job->eta));
	if (!s)
		return;
	buf_varint(out, s->number);
	buf_add(out, &s->seconds, sizeof(s->seconds));
	buf_varint(out, s->points_known);
	buf_varint(out, s->quiet_since);
	dpor_pool_save(&s->pool, out);
}

void deepen_save(const struct deepen *d, struct buf *out)
{
	buf_varint(out, d->points.all.len);
	for (size_t i = POINT_FIRST_RACE; i < d->points.all.len; i++) {
		const struct point *p = &d->points.all.at[i];
		buf_varint(out, p->pc);
		buf_varint(out, (uint64_t)p->seen_first | (uint64_t)p->seen_second << 1 |
					(uint64_t)p->is_recycled << 2);
	}
	buf_varint(out, d->candidates.found.len);
	for (size_t i = 0; i < d->candidates.found.len; i++) {
		buf_varint(out, d->candidates.found.at[i].earlier);
		buf_varint(out, d->candidates.found.at[i].later);
		buf_varint(out, (uint64_t)d->candidates.found.at[i].is_recycled |
					(uint64_t)d->candidates.found.at[i].is_failure << 1);
	}
	buf_varint(out, d->spaces.len);
	for (size_t i = 0; i < d->spaces.len; i++) {
		const struct explore_space *s = &d->spaces.at[i];
		buf_varint(out, s->races);
		buf_varint(out, s->executions);
		buf_varint(out, s->redundant);
		buf_varint(out, s->is_complete);
	}
	save_set(&d->jobs.explored, out);
	buf_varint(out, d->jobs.all.len);
	for (size_t i = 0; i < d->jobs.all.len; i++)
		save_job(d->jobs.all.at[i], out);
	size_t present = 0;
	for (size_t i = 0; i < d->jobs.all.len; i++)
		present = d->jobs.all.at[i] == d->job ? i + 1 : present;
	buf_varint(out, present);
	buf_varint(out, (uint64_t)d->tries_smaller | (uint64_t)d->has_locks << 1);
}

/* ---- reading ---- */

static void load_set(struct bytes *in, struct point_set *s, size_t points)
{
	size_t words = bytes_count(in, 1);
	s->words.len = 0;
	for (size_t i = 0; i < words && !in->is_bad; i++) {
		vec_push(&s->words, bytes_varint(in));
		in->is_bad |= i > points / 64;
	}
}

static int load_job(struct deepen *d, struct bytes *in, bool *found_bug, struct err *err)
{
	struct point_set points = { { 0 } };
	load_set(in, &points, d->points.all.len);
	uint64_t state = bytes_varint(in), flags = bytes_varint(in);
	struct job *job = in->is_bad ? NULL : jobs_add(&d->jobs, &points, flags & 1);
	point_set_release(&points);
	if (!job || state > JOB_CANCELLED)
		return err_set(err, ERR_FORMAT, "the jobs of the search are not consistent");
	job->executions = bytes_varint(in);
	bytes_read(in, &job->eta, sizeof(job->eta));
	if (flags & 4) {
		uint64_t number = bytes_varint(in);
		if (number >= d->spaces.len)
			return err_set(err, ERR_FORMAT,
				       "the state spaces of the search are not consistent");
		struct space *s = space_new(d, job, (size_t)number);
		bytes_read(in, &s->seconds, sizeof(s->seconds));
		if (flags & 8) { /* which ledgers of earlier versions do not say */
			s->points_known = (size_t)bytes_varint(in);
			s->quiet_since = bytes_varint(in);
		}
		int rc = dpor_pool_load(&s->pool, in, err);
		if (rc)
			return rc;
	}
	job->state = (enum job_state)state;
	*found_bug = flags & 2;
	return 0;
}

static void load_candidates(struct deepen *d, struct bytes *in)
{
	for (size_t n = bytes_count(in, 2); n && n-- > POINT_FIRST_RACE && !in->is_bad;) {
		uint64_t pc = bytes_varint(in), flags = bytes_varint(in);
		bool is_new;
		point_id id = points_add(&d->points, pc, flags & 1, flags & 4, &is_new);
		d->points.all.at[id].seen_second = flags & 2;
		in->is_bad |= !is_new;
	}
	struct candidates read = { 0 };
	for (size_t n = bytes_count(in, 3); n-- && !in->is_bad;) {
		struct candidate c = { .earlier = bytes_varint(in) };
		c.later = bytes_varint(in);
		uint64_t flags = bytes_varint(in);
		c.is_recycled = flags & 1;
		c.is_failure = flags >> 1 & 1;
		vec_push(&read.found, c);
	}
	candidates_merge(&d->candidates, &read, 0);
	d->candidates_used = d->candidates.found.len;
	candidates_release(&read);
}

static void forget_jobs(struct deepen *d)
{
	const struct points *points = d->jobs.points;
	jobs_release(&d->jobs);
	jobs_init(&d->jobs, points);
}

int deepen_load(struct deepen *d, struct bytes *in, struct err *err)
{
	forget_jobs(d);
	load_candidates(d, in);
	for (size_t n = bytes_count(in, 4); n-- && !in->is_bad;) {
		struct explore_space s = { .races = (size_t)bytes_varint(in) };
		s.executions = bytes_varint(in);
		s.redundant = bytes_varint(in);
		s.is_complete = bytes_varint(in) & 1;
		vec_push(&d->spaces, s);
	}
	struct point_set explored = { { 0 } };
	load_set(in, &explored, d->points.all.len);
	/* A job that found a bug prevents larger ones from being added, so that is set after all
	 * have been added. */
	VEC(bool) found_bug = { 0 };
	int rc = 0;
	for (size_t n = bytes_count(in, 4); n-- && !in->is_bad && !rc;)
		rc = load_job(d, in, vec_add(&found_bug), err);
	for (size_t i = 0; i < d->jobs.all.len; i++)
		d->jobs.all.at[i]->found_bug = found_bug.at[i];
	vec_release(&found_bug);
	point_set_copy(&d->jobs.explored, &explored);
	point_set_release(&explored);
	uint64_t present = bytes_varint(in), flags = bytes_varint(in);
	d->tries_smaller = flags & 1;
	d->has_locks = flags >> 1 & 1;
	if (!rc && (in->is_bad || present > d->jobs.all.len))
		rc = err_set(err, ERR_FORMAT, "the state of the search is not consistent");
	if (!rc && present)
		d->job = d->jobs.all.at[present - 1];
	return rc;
}
