/* SPDX-License-Identifier: Apache-2.0 */
/* teams on the host: one league member after the other, as in GNU's library. */
#include "omp/team.h"

OMP_EXPORT void GOMP_teams_reg(void (*function)(void *), void *data, unsigned teams,
			       unsigned thread_limit, unsigned flags)
{
	struct thread *t = thread_self();
	struct context before = t->now;
	(void)flags;
	if (!thread_limit)
		thread_limit = heddle_omp_settings.teams_thread_limit;
	if (!teams)
		teams = heddle_omp_settings.teams ? heddle_omp_settings.teams : 3;
	t->now.teams = teams;
	t->now.teams_thread_limit = thread_limit;
	for (unsigned i = 0; i < teams; i++) {
		t->now.team_number = i;
		function(data);
	}
	t->now.team_number = before.team_number;
	t->now.teams = before.teams;
	t->now.teams_thread_limit = before.teams_thread_limit;
}
