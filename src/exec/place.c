/* SPDX-License-Identifier: Apache-2.0 */
/* One processor for tool and program; see place.h. */
#include "exec/place.h"

#include <time.h>

#define TURNS 64			/* between looks at the clock */
#define CHOSEN_NS 200000000ull		/* how long a choice holds */
#define OPEN_NS 5000000ull		/* in which the kernel decides: more than a tick of its clock */

static uint64_t now_ns(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC_COARSE, &t);
	return (uint64_t)t.tv_sec * 1000000000ull + (uint64_t)t.tv_nsec;
}

void place_init(struct place *p, unsigned worker, unsigned workers)
{
	*p = (struct place){ .share = -1 };
	if (sched_getaffinity(0, sizeof(p->all), &p->all) || CPU_COUNT(&p->all) < 2)
		p->left = UINT32_MAX;
	else if (workers > 1)
		p->share = (int)(worker % (unsigned)CPU_COUNT(&p->all));
}

static int nth(const cpu_set_t *set, int n)
{
	int cpu = 0;
	while (!CPU_ISSET(cpu, set) || n--)
		cpu++;
	return cpu;
}

/* What inherits from the tool, or from the program's first process, follows. */
static bool set(const cpu_set_t *cpus, pid_t program)
{
	return !sched_setaffinity(0, sizeof(*cpus), cpus) &&
	       (!program || !sched_setaffinity(program, sizeof(*cpus), cpus));
}

void place_choose(struct place *p, pid_t program)
{
	if (p->left == UINT32_MAX || (p->left && p->left--))
		return;
	p->left = TURNS;
	uint64_t now = now_ns();
	if (now < p->until)
		return;
	int cpu = p->share >= 0 ? nth(&p->all, p->share) : p->is_chosen ? -1 : sched_getcpu();
	cpu_set_t one;
	CPU_ZERO(&one);
	if (cpu >= 0 && cpu < CPU_SETSIZE)
		CPU_SET(cpu, &one);
	p->is_chosen = CPU_COUNT(&one) == 1;
	p->until = now + (p->is_chosen ? CHOSEN_NS : OPEN_NS);
	if (!set(p->is_chosen ? &one : &p->all, program))
		place_leave(p);		/* not allowed, or the program has died: as it comes */
}

void place_leave(struct place *p)
{
	if (p->is_chosen)
		sched_setaffinity(0, sizeof(p->all), &p->all);
	p->is_chosen = false;
}
