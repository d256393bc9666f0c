/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of explore/points and explore/jobs: the rules by which state spaces are chosen, suspended
 * and cancelled. */
#include "explore/deepening/jobs.h"
#include "unit/unit.h"

struct world {
	struct points points;
	struct jobs jobs;
};

static void setup(struct world *w)
{
	points_init(&w->points);
	jobs_init(&w->jobs, &w->points);
}

static void teardown(struct world *w)
{
	jobs_release(&w->jobs);
	points_release(&w->points);
}

/* A job with the forced point and those given, ended by 0. */
static struct job *add(struct world *w, int may_spawn, ...)
{
	struct point_set set = { { 0 } };
	point_set_add(&set, POINT_FORCED);
	va_list list;
	va_start(list, may_spawn);
	for (int id = va_arg(list, int); id; id = va_arg(list, int))
		point_set_add(&set, (point_id)id);
	va_end(list);
	struct job *job = jobs_add(&w->jobs, &set, may_spawn);
	point_set_release(&set);
	return job;
}

static point_id race(struct world *w, uint64_t pc, bool both)
{
	bool is_new;
	point_id id = points_add(&w->points, pc, true, false, &is_new);
	if (both)
		points_add(&w->points, pc, false, false, &is_new);
	return id;
}

static void sets_are_sets(void **state)
{
	(void)state;
	struct point_set a = { { 0 } }, b = { { 0 } };
	assert_true(point_set_equal(&a, &b) && point_set_within(&a, &b));
	point_set_add(&a, 3);
	point_set_add(&b, 3);
	point_set_add(&b, 130);
	assert_true(point_set_within(&a, &b));
	assert_false(point_set_within(&b, &a));
	assert_int_equal(point_set_count(&b), 2);
	assert_true(point_set_has(&b, 130) && !point_set_has(&b, 131) && !point_set_has(&a, 1000));
	point_set_copy(&a, &b);
	assert_true(point_set_equal(&a, &b));
	point_set_release(&a);
	point_set_release(&b);
}

static void a_recycled_point_becomes_real_and_stays_so(void **state)
{
	(void)state;
	struct world w;
	setup(&w);
	bool is_new;
	point_id id = points_add(&w.points, 77, true, true, &is_new);
	assert_true(is_new && w.points.all.at[id].is_recycled);
	assert_int_equal(points_add(&w.points, 77, true, false, &is_new), id);
	assert_false(is_new || w.points.all.at[id].is_recycled);
	points_add(&w.points, 77, true, true, &is_new);
	assert_false(w.points.all.at[id].is_recycled);
	assert_int_equal(points_rank(&w.points, id), RANK_ONE_ORDER);
	points_add(&w.points, 77, false, true, &is_new);
	assert_int_equal(points_rank(&w.points, id), RANK_BOTH_ORDERS);
	assert_int_equal(points_find(&w.points, 78), POINT_FORCED);
	teardown(&w);
}

static void equal_jobs_are_made_once(void **state)
{
	(void)state;
	struct world w;
	setup(&w);
	assert_non_null(add(&w, true, POINT_LOCK, 0));
	assert_null(add(&w, true, POINT_LOCK, 0));
	teardown(&w);
}

static void a_candidate_makes_a_big_and_a_small_job(void **state)
{
	(void)state;
	struct world w;
	setup(&w);
	struct job *base = add(&w, true, POINT_LOCK, POINT_UNLOCK, POINT_SYNC, 0);
	jobs_next(&w.jobs);
	point_id a = race(&w, 1, false), b = race(&w, 2, false);
	jobs_candidate(&w.jobs, base, a, true);
	assert_int_equal(w.jobs.all.len, 3);
	assert_true(point_set_has(&w.jobs.all.at[1]->points, POINT_SYNC) &&
		    point_set_has(&w.jobs.all.at[1]->points, a));
	assert_true(w.jobs.all.at[1]->may_spawn);
	assert_int_equal(point_set_count(&w.jobs.all.at[2]->points), 2);
	assert_false(w.jobs.all.at[2]->may_spawn);
	/* Seen again: nothing new.  By a small job: it does not spawn. */
	jobs_candidate(&w.jobs, base, a, false);
	jobs_candidate(&w.jobs, w.jobs.all.at[2], b, true);
	assert_int_equal(w.jobs.all.len, 3);
	/* The second one of the pair, seen by the big job, makes the union. */
	jobs_candidate(&w.jobs, w.jobs.all.at[1], b, false);
	assert_int_equal(w.jobs.all.len, 4);
	assert_int_equal(point_set_count(&w.jobs.all.at[3]->points), 6);
	teardown(&w);
}

static void recycled_candidates_make_none(void **state)
{
	(void)state;
	struct world w;
	setup(&w);
	struct job *base = add(&w, true, POINT_LOCK, 0);
	bool is_new;
	point_id id = points_add(&w.points, 5, true, true, &is_new);
	jobs_candidate(&w.jobs, base, id, true);
	assert_int_equal(w.jobs.all.len, 1);
	points_add(&w.points, 5, true, false, &is_new);
	jobs_candidate(&w.jobs, base, id, true);
	assert_int_equal(w.jobs.all.len, 3);
	teardown(&w);
}

static void the_most_urgent_runs_first(void **state)
{
	(void)state;
	struct world w;
	setup(&w);
	point_id one = race(&w, 1, false), both = race(&w, 2, true);
	struct job *unlock = add(&w, true, POINT_UNLOCK, 0), *lock = add(&w, true, POINT_LOCK, 0),
		   *minimal = add(&w, false, 0), *single = add(&w, false, one, 0),
		   *large = add(&w, true, POINT_LOCK, both, 0), *small = add(&w, false, both, 0);
	struct job *order[] = { minimal, small, large, single, lock, unlock };
	for (size_t i = 0; i < 6; i++)
		assert_ptr_equal(jobs_next(&w.jobs), order[i]);
	assert_null(jobs_next(&w.jobs));
	teardown(&w);
}

static void a_job_is_suspended_only_for_good_reasons(void **state)
{
	(void)state;
	struct world w;
	setup(&w);
	point_id a = race(&w, 1, true);
	struct job *lock = add(&w, true, POINT_LOCK, 0);
	assert_ptr_equal(jobs_next(&w.jobs), lock);
	struct job *larger = add(&w, true, POINT_LOCK, a, 0),
		   *other = add(&w, true, POINT_UNLOCK, 0);
	lock->executions = JOBS_MIN_EXECUTIONS - 1;
	lock->eta = 1e9;
	assert_null(jobs_instead_of(&w.jobs, lock, 1000)); /* too young to be judged */
	lock->executions = JOBS_MIN_EXECUTIONS;
	lock->eta = 2000;
	assert_null(jobs_instead_of(&w.jobs, lock, 1000)); /* within twice the rest */
	lock->eta = 2001;
	assert_null(jobs_instead_of(&w.jobs, lock, JOBS_LAST_SECONDS));
	/* A larger one would take longer still; the other one gets its turn. */
	assert_ptr_equal(jobs_instead_of(&w.jobs, lock, 1000), other);
	assert_int_equal(lock->state, JOB_SUSPENDED);
	assert_int_equal(larger->state, JOB_PENDING);
	/* The other one is no better: it goes on, since the suspended one has a worse estimate. */
	other->executions = 100;
	other->eta = 2001;
	lock->eta = 5000;
	assert_null(jobs_instead_of(&w.jobs, other, 1000));
	/* Until the suspended one's is better. */
	other->eta = 6000;
	assert_ptr_equal(jobs_instead_of(&w.jobs, other, 1000), lock);
	/* Larger than a suspended one: never started before it. */
	jobs_completed(&w.jobs, lock);
	assert_ptr_equal(jobs_next(&w.jobs), larger);
	teardown(&w);
}

static void a_bug_cancels_what_is_larger(void **state)
{
	(void)state;
	struct world w;
	setup(&w);
	point_id a = race(&w, 1, true), b = race(&w, 2, true);
	struct job *small = add(&w, false, a, 0), *large = add(&w, true, POINT_LOCK, a, 0),
		   *other = add(&w, true, POINT_LOCK, b, 0);
	assert_ptr_equal(jobs_next(&w.jobs), small);
	jobs_found_bug(&w.jobs, small);
	assert_int_equal(large->state, JOB_CANCELLED);
	assert_int_equal(other->state, JOB_PENDING);
	assert_null(add(&w, true, POINT_UNLOCK, a, 0));
	teardown(&w);
}

static void saturation_needs_a_completed_job_with_every_real_point(void **state)
{
	(void)state;
	struct world w;
	setup(&w);
	bool is_new;
	points_add(&w.points, 9, true, true, &is_new); /* recycled: not needed */
	struct job *all = add(&w, true, POINT_LOCK, POINT_UNLOCK, POINT_SYNC, 0);
	assert_false(jobs_are_saturated(&w.jobs));
	jobs_next(&w.jobs);
	assert_false(jobs_are_saturated(&w.jobs));
	jobs_completed(&w.jobs, all);
	assert_true(jobs_are_saturated(&w.jobs));
	race(&w, 1, false);
	assert_false(jobs_are_saturated(&w.jobs));
	teardown(&w);
}

int main(void)
{
	RUN(cmocka_unit_test(sets_are_sets),
	    cmocka_unit_test(a_recycled_point_becomes_real_and_stays_so),
	    cmocka_unit_test(equal_jobs_are_made_once),
	    cmocka_unit_test(a_candidate_makes_a_big_and_a_small_job),
	    cmocka_unit_test(recycled_candidates_make_none),
	    cmocka_unit_test(the_most_urgent_runs_first),
	    cmocka_unit_test(a_job_is_suspended_only_for_good_reasons),
	    cmocka_unit_test(a_bug_cancels_what_is_larger),
	    cmocka_unit_test(saturation_needs_a_completed_job_with_every_real_point));
}
