/* SPDX-License-Identifier: Apache-2.0 */
/* One processor for tool and program; see processor.h. */
#include "exec/processor.h"

#include <pthread.h>
#include <signal.h>
#include <sys/prctl.h>
#include <time.h>

#include "base/clock.h"

#define TURNS 64	       /* executions between two reads of the clock */
#define FIRST_NS 100000000ull  /* short searches do not set their affinity */
#define CHOSEN_NS 200000000ull /* duration of a choice */
#define OPEN_NS 5000000ull     /* the kernel's scheduler decides for so long: more than a tick */

/* Processor time of the calling thread and of the process. */
static uint64_t used_ns(pid_t program)
{
	clockid_t clock;
	uint64_t used = clock_read_ns(CLOCK_THREAD_CPUTIME_ID);
	return !program || clock_getcpuclockid(program, &clock) ? used
								: used + clock_read_ns(clock);
}

static cpu_set_t all;
static pthread_once_t all_is_known = PTHREAD_ONCE_INIT;

static void read_affinity(void)
{
	if (sched_getaffinity(0, sizeof(all), &all))
		CPU_ZERO(&all);
}

const cpu_set_t *processors_all(void)
{
	pthread_once(&all_is_known, read_affinity);
	return &all;
}

void processor_init(struct processor *p, unsigned worker, unsigned workers)
{
	unsigned count = (unsigned)CPU_COUNT(processors_all());
	*p = (struct processor){ .share = count && workers > 1 ? (int)(worker % count) : -1 };
	p->is_fixed = count < 2;
}

static int nth(const cpu_set_t *set, int n)
{
	int cpu = 0;
	while (!CPU_ISSET(cpu, set) || n--)
		cpu++;
	return cpu;
}

/* ---- the time stamp counter ---- */

static struct sigaction handled_before;

/* Code that does not know of the setting has read the counter: it may do so from now on, and any
 * other fault is as it would have been. */
static void on_fault(int signal, siginfo_t *info, void *context)
{
	(void)context;
	int mode = PR_TSC_ENABLE;
	bool is_ours =
		info->si_code == SI_KERNEL && !prctl(PR_GET_TSC, &mode) && mode == PR_TSC_SIGSEGV;
	if (is_ours)
		prctl(PR_SET_TSC, PR_TSC_ENABLE);
	else
		sigaction(signal, &handled_before, NULL);
}

void processor_close_counter(void)
{
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	struct sigaction action = { .sa_sigaction = on_fault, .sa_flags = SA_SIGINFO }, now;
	sigemptyset(&action.sa_mask);
	pthread_mutex_lock(&lock);
	if (!sigaction(SIGSEGV, NULL, &now) && now.sa_sigaction != on_fault) {
		handled_before = now;
		sigaction(SIGSEGV, &action, NULL);
	}
	pthread_mutex_unlock(&lock);
	prctl(PR_SET_TSC, PR_TSC_SIGSEGV);
}

void processor_open_counter(void)
{
	prctl(PR_SET_TSC, PR_TSC_ENABLE);
}

/* ---- affinity ---- */

/* Processes that the program forks inherit the affinity. */
static bool set(const cpu_set_t *cpus, pid_t program)
{
	return !sched_setaffinity(0, sizeof(*cpus), cpus) &&
	       (!program || !sched_setaffinity(program, sizeof(*cpus), cpus));
}

/* Tool and program together use all of a processor, unless others compete for it. */
static bool is_contended(const struct processor *p, uint64_t now, uint64_t used)
{
	return p->is_chosen && used - p->used < (now - p->since) / 4 * 3;
}

static int next_processor(const struct processor *p)
{
	if (p->share >= 0)
		return nth(&all, p->share);
	return p->is_chosen || !p->since ? -1 : sched_getcpu();
}

static void give_up(struct processor *p)
{
	if (p->is_chosen)
		sched_setaffinity(0, sizeof(all), &all);
	p->is_chosen = false;
}

void processor_choose(struct processor *p, pid_t program, bool works_itself)
{
	if (p->left && p->left--)
		return;
	p->left = TURNS;
	if (works_itself)
		processor_close_counter();
	if (p->is_fixed)
		return;
	uint64_t now = clock_read_ns(CLOCK_MONOTONIC_COARSE);
	if (now < p->until)
		return;
	uint64_t used = used_ns(program);
	bool has_competition = works_itself && is_contended(p, now, used);
	uint64_t open = !p->since ? FIRST_NS : has_competition ? CHOSEN_NS : OPEN_NS;
	int cpu = next_processor(p);
	CPU_ZERO(&p->one);
	if (cpu >= 0 && cpu < CPU_SETSIZE)
		CPU_SET(cpu, &p->one);
	p->is_chosen = CPU_COUNT(&p->one) == 1;
	p->until = now + (p->is_chosen ? CHOSEN_NS : open);
	p->since = now;
	p->used = used;
	if (!set(p->is_chosen ? &p->one : &all, program))
		give_up(p); /* not permitted, or the program has died */
}

void processor_follow(const struct processor *p, pid_t program)
{
	if (p->is_chosen)
		sched_setaffinity(program, sizeof(p->one), &p->one);
}

void processor_leave(struct processor *p)
{
	give_up(p);
	processor_open_counter();
}
