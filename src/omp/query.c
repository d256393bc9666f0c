/* SPDX-License-Identifier: Apache-2.0 */
/* omp_get_...(), omp_set_...(): questions and settings. */
#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "omp/team.h"

static struct task_settings *own(void)
{
	return &thread_self()->now.task->settings;
}

/* ---- threads and teams ---- */

OMP_EXPORT int omp_get_thread_num(void)
{
	return (int)thread_self()->now.number;
}

OMP_EXPORT int omp_get_num_threads(void)
{
	return (int)thread_self()->now.team->size;
}

OMP_EXPORT int omp_get_max_threads(void)
{
	unsigned n = own()->threads;
	return (int)(n ? n : heddle_omp_processors());
}

OMP_EXPORT int omp_get_num_procs(void)
{
	return (int)heddle_omp_processors();
}

OMP_EXPORT int omp_in_parallel(void)
{
	return thread_self()->now.team->active_level > 0;
}

OMP_EXPORT int omp_get_level(void)
{
	return (int)thread_self()->now.team->level;
}

OMP_EXPORT int omp_get_active_level(void)
{
	return (int)thread_self()->now.team->active_level;
}

static const struct team *team_at(int level, unsigned *number)
{
	const struct thread *t = thread_self();
	const struct team *team = t->now.team;
	*number = t->now.number;
	if (level < 0 || level > (int)team->level)
		return NULL;
	while (team->level > (unsigned)level) {
		*number = team->outer_number;
		team = team->outer;
	}
	return team;
}

OMP_EXPORT int omp_get_ancestor_thread_num(int level)
{
	unsigned number;
	return team_at(level, &number) ? (int)number : -1;
}

OMP_EXPORT int omp_get_team_size(int level)
{
	unsigned number;
	const struct team *team = team_at(level, &number);
	return team ? (int)team->size : -1;
}

OMP_EXPORT int omp_get_team_num(void)
{
	return (int)thread_self()->now.team_number;
}

OMP_EXPORT int omp_get_num_teams(void)
{
	return (int)thread_self()->now.teams;
}

OMP_EXPORT int omp_in_final(void)
{
	return thread_self()->now.task->is_final;
}

/* ---- settings ---- */

OMP_EXPORT void omp_set_num_threads(int n)
{
	own()->threads = n > 0 ? (unsigned)n : 1;
}

OMP_EXPORT void omp_set_dynamic(int on)
{
	own()->is_dynamic = on;
}

OMP_EXPORT int omp_get_dynamic(void)
{
	return own()->is_dynamic;
}

OMP_EXPORT void omp_set_max_active_levels(int n)
{
	if (n >= 0)
		own()->max_active_levels = (unsigned)n;
}

OMP_EXPORT int omp_get_max_active_levels(void)
{
	return (int)own()->max_active_levels;
}

OMP_EXPORT int omp_get_supported_active_levels(void)
{
	return INT_MAX;
}

OMP_EXPORT void omp_set_nested(int on)
{
	own()->max_active_levels = on ? INT_MAX : 1;
}

OMP_EXPORT int omp_get_nested(void)
{
	const struct thread *t = thread_self();
	return t->now.task->settings.max_active_levels > 1 &&
	       t->now.task->settings.max_active_levels > t->now.team->active_level;
}

OMP_EXPORT void omp_set_schedule(unsigned kind, int chunk)
{
	unsigned plain = kind & ~LOOP_MONOTONIC;
	if (plain < LOOP_STATIC || plain > LOOP_AUTO)
		return;
	own()->schedule = kind;
	own()->chunk = chunk > 0 ? (uint64_t)chunk : plain != LOOP_STATIC;
}

OMP_EXPORT void omp_get_schedule(unsigned *kind, int *chunk)
{
	const struct task_settings *s = own();
	*kind = s->schedule;
	*chunk = (int)s->chunk;
}

OMP_EXPORT int omp_get_thread_limit(void)
{
	const struct thread *t = thread_self();
	unsigned limit = heddle_omp_settings.thread_limit, own_limit = t->now.teams_thread_limit;
	limit = own_limit && own_limit < limit ? own_limit : limit;
	return limit > INT_MAX ? INT_MAX : (int)limit;
}

OMP_EXPORT int omp_get_cancellation(void)
{
	return heddle_omp_settings.can_cancel;
}

OMP_EXPORT int omp_get_max_task_priority(void)
{
	return heddle_omp_settings.max_task_priority;
}

OMP_EXPORT void omp_set_num_teams(int n)
{
	heddle_omp_settings.teams = n > 0 ? (unsigned)n : 1;
}

OMP_EXPORT int omp_get_max_teams(void)
{
	return (int)heddle_omp_settings.teams;
}

OMP_EXPORT void omp_set_teams_thread_limit(int n)
{
	heddle_omp_settings.teams_thread_limit = n > 0 ? (unsigned)n : 1;
}

OMP_EXPORT int omp_get_teams_thread_limit(void)
{
	return (int)heddle_omp_settings.teams_thread_limit;
}

/* ---- processors: threads are not bound to any ---- */

OMP_EXPORT int omp_get_proc_bind(void)
{
	return 0;
}

OMP_EXPORT int omp_get_num_places(void)
{
	return 0;
}

OMP_EXPORT int omp_get_place_num(void)
{
	return -1;
}

OMP_EXPORT int omp_get_place_num_procs(int place)
{
	(void)place;
	return 0;
}

OMP_EXPORT void omp_get_place_proc_ids(int place, int *ids)
{
	(void)place, (void)ids;
}

OMP_EXPORT int omp_get_partition_num_places(void)
{
	return 0;
}

OMP_EXPORT void omp_get_partition_place_nums(int *numbers)
{
	(void)numbers;
}

/* ---- devices: there are none, so the host is the default one ---- */

OMP_EXPORT void omp_set_default_device(int number)
{
	own()->device = number;
}

OMP_EXPORT int omp_get_default_device(void)
{
	return own()->device;
}

OMP_EXPORT int omp_get_num_devices(void)
{
	return 0;
}

OMP_EXPORT int omp_get_device_num(void)
{
	return 0;
}

OMP_EXPORT int omp_get_initial_device(void)
{
	return 0;
}

OMP_EXPORT int omp_is_initial_device(void)
{
	return 1;
}

/* ---- time ---- */

OMP_EXPORT double omp_get_wtime(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

OMP_EXPORT double omp_get_wtick(void)
{
	struct timespec tick;
	clock_getres(CLOCK_MONOTONIC, &tick);
	return (double)tick.tv_sec + (double)tick.tv_nsec * 1e-9;
}

/* ---- resources ---- */

/* Nothing has to be given up. */
OMP_EXPORT int omp_pause_resource(int kind, int device)
{
	(void)kind, (void)device;
	return 0;
}

OMP_EXPORT int omp_pause_resource_all(int kind)
{
	(void)kind;
	return 0;
}
