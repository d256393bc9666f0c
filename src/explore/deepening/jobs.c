/* SPDX-License-Identifier: Apache-2.0 */
/* Which state space to explore next; see jobs.h. */
#include "explore/deepening/jobs.h"

void jobs_init(struct jobs *j, const struct points *points)
{
	*j = (struct jobs){ .points = points };
}

void jobs_release(struct jobs *j)
{
	for (size_t i = 0; i < j->all.len; i++) {
		point_set_release(&j->all.at[i]->points);
		mem_free(j->all.at[i]);
	}
	vec_release(&j->all);
	point_set_release(&j->explored);
}

struct job *jobs_add(struct jobs *j, const struct point_set *points, bool may_spawn)
{
	for (size_t i = 0; i < j->all.len; i++) {
		const struct job *old = j->all.at[i];
		if (point_set_equal(&old->points, points) ||
		    (old->found_bug && point_set_within(&old->points, points)))
			return NULL;
	}
	struct job *job = mem_zero(1, sizeof(*job));
	point_set_copy(&job->points, points);
	job->may_spawn = may_spawn;
	vec_push(&j->all, job);
	return job;
}

/* One point at a time: a racing pair gets there in two steps, and what one of them alone shows is
 * seen sooner. */
void jobs_candidate(struct jobs *j, const struct job *from, point_id point, bool is_first_sight)
{
	if (j->points->all.at[point].is_recycled || !from->may_spawn ||
	    point_set_has(&from->points, point))
		return;
	struct point_set set = { { 0 } };
	point_set_copy(&set, &from->points);
	point_set_add(&set, point);
	bool is_covered = false;
	for (size_t i = 0; i < j->all.len; i++)
		is_covered |= j->all.at[i]->state != JOB_CANCELLED &&
			      point_set_within(&set, &j->all.at[i]->points);
	if (!is_covered)
		jobs_add(j, &set, true);
	if (is_first_sight) {
		set.words.len = 0;
		point_set_add(&set, POINT_FORCED);
		point_set_add(&set, point);
		jobs_add(j, &set, false);
	}
	point_set_release(&set);
}

static enum point_rank rank_of(const struct jobs *j, const struct job *job)
{
	enum point_rank best = RANK_SYNC;
	bool has_unexplored = false;
	for (point_id id = 0; id < j->points->all.len; id++) {
		if (!point_set_has(&job->points, id) || point_set_has(&j->explored, id) ||
		    id == POINT_FORCED)
			continue;
		has_unexplored = true;
		if (points_rank(j->points, id) < best)
			best = points_rank(j->points, id);
	}
	return has_unexplored ? best : RANK_MINIMAL;
}

/* Whether a suspended job has fewer points than this one: it would end sooner, so this one is not
 * worth a try. */
static bool is_beyond_suspended(const struct jobs *j, const struct job *job)
{
	for (size_t i = 0; i < j->all.len; i++) {
		const struct job *s = j->all.at[i];
		if (s != job && s->state == JOB_SUSPENDED &&
		    point_set_within(&s->points, &job->points))
			return true;
	}
	return false;
}

/* The pending job of the most urgent point, the smaller of equals. */
static struct job *best_pending(const struct jobs *j, const struct job *not_beyond)
{
	struct job *best = NULL;
	enum point_rank best_rank = RANK_SYNC;
	for (size_t i = 0; i < j->all.len; i++) {
		struct job *job = j->all.at[i];
		if (job->state != JOB_PENDING || is_beyond_suspended(j, job) ||
		    (not_beyond && point_set_within(&not_beyond->points, &job->points)))
			continue;
		enum point_rank rank = rank_of(j, job);
		if (!best || rank < best_rank ||
		    (rank == best_rank &&
		     point_set_count(&job->points) < point_set_count(&best->points))) {
			best = job;
			best_rank = rank;
		}
	}
	return best;
}

/* The suspended job that would end first. */
static struct job *best_suspended(const struct jobs *j, const struct job *instead_of)
{
	struct job *best = NULL;
	for (size_t i = 0; i < j->all.len; i++) {
		struct job *job = j->all.at[i];
		if (job->state != JOB_SUSPENDED || is_beyond_suspended(j, job) ||
		    (best && best->eta <= job->eta))
			continue;
		if (instead_of && (point_set_within(&instead_of->points, &job->points) ||
				   instead_of->eta <= job->eta))
			continue;
		best = job;
	}
	return best;
}

static struct job *run(struct job *job)
{
	if (job)
		job->state = JOB_RUNNING;
	return job;
}

struct job *jobs_next(struct jobs *j)
{
	struct job *job = best_pending(j, NULL);
	return run(job ? job : best_suspended(j, NULL));
}

bool jobs_is_too_long(const struct job *running, double seconds_left)
{
	return running->executions >= JOBS_MIN_EXECUTIONS && seconds_left > JOBS_LAST_SECONDS &&
	       running->eta > JOBS_ETA_FACTOR * seconds_left;
}

struct job *jobs_instead_of(struct jobs *j, struct job *running, double seconds_left)
{
	if (!jobs_is_too_long(running, seconds_left))
		return NULL;
	struct job *job = best_pending(j, running);
	if (!job)
		job = best_suspended(j, running);
	if (job)
		running->state = JOB_SUSPENDED;
	return run(job);
}

void jobs_found_bug(struct jobs *j, struct job *found)
{
	found->found_bug = true;
	for (size_t i = 0; i < j->all.len; i++) {
		struct job *job = j->all.at[i];
		if (job != found && job->state != JOB_COMPLETED &&
		    point_set_within(&found->points, &job->points))
			job->state = JOB_CANCELLED;
	}
}

void jobs_completed(struct jobs *j, struct job *job)
{
	job->state = JOB_COMPLETED;
	if (!job->may_spawn)
		return;
	for (point_id id = 0; id < j->points->all.len; id++)
		if (point_set_has(&job->points, id))
			point_set_add(&j->explored, id);
}

bool jobs_has_every_point(const struct jobs *j, const struct job *job)
{
	for (point_id id = 0; id < j->points->all.len; id++)
		if (!point_set_has(&job->points, id) && !j->points->all.at[id].is_recycled)
			return false;
	return true;
}

bool jobs_are_saturated(const struct jobs *j)
{
	for (size_t i = 0; i < j->all.len; i++)
		if (j->all.at[i]->state == JOB_COMPLETED && jobs_has_every_point(j, j->all.at[i]))
			return true;
	return false;
}
