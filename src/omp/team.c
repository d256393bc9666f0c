/* SPDX-License-Identifier: Apache-2.0 */
/* Threads, teams and barriers of OpenMP; see team.h. */
#include "omp/team.h"

#include <stdlib.h>
#include <string.h>

#include "omp/barrier.h"
#include "omp/fail.h"

struct worker {
	pthread_t id;
	struct thread *thread; /* set by itself */
	sem_t go;
	struct team *team; /* NULL: end */
	unsigned number;
};

__thread struct thread *heddle_omp_self;

/* By which the runtimes know the library's own code. */
extern const char __start_heddle_openmp[], __stop_heddle_openmp[];
extern const char *const heddle_openmp_code[2];
OMP_EXPORT const char *const heddle_openmp_code[2] = { __start_heddle_openmp,
						       __stop_heddle_openmp };

static pthread_key_t key;

void heddle_omp_wait(sem_t *semaphore)
{
	while (sem_wait(semaphore))
		;
}

/* ---- the end of a thread that was a master ---- */

void heddle_omp_task_release(struct task *task)
{
	for (unsigned i = 0; task->places && i < PLACES; i++) {
		for (struct place *p = task->places[i]; p;) {
			struct place *next = p->next;
			free(p);
			p = next;
		}
	}
	free(task->places);
	free(task->dependences);
	task->places = NULL;
	task->dependences = NULL;
}

static void end_worker(struct worker *w)
{
	w->team = NULL;
	sem_post(&w->go);
	pthread_join(w->id, NULL);
	sem_destroy(&w->go);
	free(w);
}

static void free_members(struct team *team)
{
	for (unsigned i = 0; i < team->capacity; i++)
		heddle_omp_task_release(&team->members[i].task);
	heddle_omp_works_release(&team->works);
	if (team->barrier_size)
		pthread_barrier_destroy(&team->barrier);
	free(team->members);
}

static void end_thread(void *pointer)
{
	struct thread *t = pointer;
	for (struct team *team = t->teams; team;) {
		struct team *next = team->next;
		for (unsigned i = 1; i < team->capacity; i++)
			if (team->members[i].worker)
				end_worker(team->members[i].worker);
		free_members(team);
		free(team);
		team = next;
	}
	free_members(&t->alone);
	sem_destroy(&t->wake);
	heddle_omp_self = NULL;
	free(t);
}

/* Before the program's own constructors, which may have regions. */
__attribute__((constructor(101))) static void make_key(void)
{
	if (pthread_key_create(&key, end_thread))
		heddle_omp_fail("make a key for thread-specific data");
}

/* ---- threads ---- */

static void grow(struct team *team, unsigned size)
{
	struct member *members = heddle_omp_allocate(size * sizeof(*members));
	if (team->capacity)
		memcpy(members, team->members, team->capacity * sizeof(*members));
	free(team->members);
	team->members = members;
	team->capacity = size;
}

struct thread *heddle_omp_thread_make(void)
{
	struct thread *t = heddle_omp_allocate(sizeof(*t));
	if (sem_init(&t->wake, 0, 0) || pthread_setspecific(key, t))
		heddle_omp_fail("make the state of a thread");
	grow(&t->alone, 1);
	t->alone.size = 1;
	t->alone.members[0].thread = t;
	t->alone.members[0].task.settings = heddle_omp_settings.first;
	t->now = (struct context){ .team = &t->alone,
				   .task = &t->alone.members[0].task,
				   .teams = 1 };
	heddle_omp_self = t;
	return t;
}

static void enter(struct thread *t, struct team *team, unsigned number)
{
	t->now = (struct context){
		.team = team,
		.number = number,
		.task = &team->members[number].task,
		.epoch = team->start_epoch,
		.work = team->first_work,
		.works = team->first_work ? 1 : 0,
		.team_number = t->now.team_number,
		.teams = t->now.teams,
		.teams_thread_limit = t->now.teams_thread_limit,
	};
	team->members[number].thread = t;
}

/* The barrier at the end of a region also ends its tasks. */
static void execute(struct team *team)
{
	team->function(team->data);
	heddle_omp_barrier(thread_self());
}

/* The name is that of the threads in reports. */
static void *openmp_thread(void *argument)
{
	struct worker *w = argument;
	struct thread *t = heddle_omp_thread_make();
	w->thread = t;
	while (w->team) {
		enter(t, w->team, w->number);
		execute(w->team);
		t->now = (struct context){ .team = &t->alone,
					   .task = &t->alone.members[0].task,
					   .teams = 1 };
		heddle_omp_wait(&w->go);
	}
	return NULL;
}

static struct worker *make_worker(struct team *team, unsigned number)
{
	struct worker *w = heddle_omp_allocate(sizeof(*w));
	w->team = team;
	w->number = number;
	if (sem_init(&w->go, 0, 0))
		heddle_omp_fail("make a semaphore");
	pthread_attr_t attributes;
	pthread_attr_init(&attributes);
	if (heddle_omp_settings.stack_size)
		pthread_attr_setstacksize(&attributes, heddle_omp_settings.stack_size);
	if (pthread_create(&w->id, &attributes, openmp_thread, w))
		heddle_omp_fail("create a thread");
	pthread_attr_destroy(&attributes);
	return w;
}

/* ---- regions ---- */

unsigned heddle_omp_team_size(unsigned wanted)
{
	const struct thread *t = thread_self();
	const struct task_settings *s = &t->now.task->settings;
	unsigned limit = heddle_omp_settings.thread_limit;
	if (t->now.teams_thread_limit && t->now.teams_thread_limit < limit)
		limit = t->now.teams_thread_limit;
	if (wanted == 1 || t->now.team->active_level >= s->max_active_levels)
		return 1;
	unsigned n = wanted ? wanted : s->threads;
	if (!n || s->is_dynamic) {
		unsigned processors = heddle_omp_processors();
		n = !n || processors < n ? processors : n;
	}
	return n < limit ? n : limit;
}

/* The master's team at its current depth, with room for so many members. */
static struct team *team_for(struct thread *t, unsigned size)
{
	struct team *outer = t->now.team;
	bool is_master = outer != &t->alone && !t->now.number;
	struct team **slot = is_master ? &outer->next : &t->teams;
	if (!*slot)
		*slot = heddle_omp_allocate(sizeof(**slot));
	struct team *team = *slot;
	if (team->capacity < size)
		grow(team, size);
	return team;
}

static void prepare_members(const struct thread *t, struct team *team, struct group *group)
{
	struct task_settings settings = t->now.task->settings;
	const struct settings *s = &heddle_omp_settings;
	if (team->level <= s->nested_count)
		settings.threads = s->nested_threads[team->level - 1];
	for (unsigned i = 0; i < team->size; i++) {
		struct task *task = &team->members[i].task;
		heddle_omp_task_release(task);
		task->settings = settings;
		task->group = group;
		task->is_final = t->now.task->is_final;
		task->had_children = false;
	}
}

static void size_barrier(struct team *team)
{
	if (heddle_omp_task_barrier || team->barrier_size == team->size || team->size == 1)
		return;
	if (team->barrier_size)
		pthread_barrier_destroy(&team->barrier);
	if (pthread_barrier_init(&team->barrier, NULL, team->size))
		heddle_omp_fail("make a barrier");
	team->barrier_size = team->size;
}

static void run_region(struct thread *t, struct team *team)
{
	struct context outside = t->now;
	enter(t, team, 0);
	for (unsigned i = 1; i < team->size; i++) {
		struct worker *w = team->members[i].worker;
		if (!w) {
			team->members[i].worker = make_worker(team, i);
		} else {
			w->team = team;
			sem_post(&w->go);
		}
	}
	execute(team);
	team->start_epoch = t->now.epoch;
	t->now = outside;
}

static struct team *open_region(struct thread *t, unsigned size, struct group *group,
				void (*function)(void *), void *data)
{
	struct team *team = team_for(t, size), *outer = t->now.team;
	team->size = size;
	team->level = outer->level + 1;
	team->active_level = outer->active_level + (size > 1);
	team->outer = outer;
	team->outer_number = t->now.number;
	team->function = function;
	team->data = data;
	team->first_work = NULL;
	team->tasks.is_cancelled = false;
	prepare_members(t, team, group);
	size_barrier(team);
	return team;
}

void heddle_omp_parallel(void (*function)(void *), void *data, unsigned threads,
			 prepare_fn *prepare, const void *arguments)
{
	struct thread *t = thread_self();
	unsigned size = heddle_omp_team_size(threads);
	struct team *team = open_region(t, size, NULL, function, data);
	if (prepare) {
		team->first_work = heddle_omp_work_at(team, 0, team->start_epoch);
		prepare(team->first_work, team, arguments);
	}
	run_region(t, team);
}

void heddle_omp_parallel_in(struct group *group, void (*function)(void *), void *data,
			    unsigned size)
{
	struct thread *t = thread_self();
	run_region(t, open_region(t, size, group, function, data));
}

/* Where a region may be cancelled, threads differ in how many barriers they have come to. */
void heddle_omp_barrier_passed(struct thread *t)
{
	struct tasks *tasks = &t->now.team->tasks;
	if (heddle_omp_task_barrier)
		t->now.epoch = __atomic_load_n(&tasks->passed, __ATOMIC_RELAXED);
	else
		t->now.epoch++;
	t->now.works = 0;
}

void heddle_omp_barrier(struct thread *t)
{
	struct team *team = t->now.team;
	if (heddle_omp_task_barrier)
		heddle_omp_task_barrier(t, false);
	else if (team->size > 1)
		pthread_barrier_wait(&team->barrier);
	heddle_omp_barrier_passed(t);
}

OMP_EXPORT void GOMP_parallel(void (*function)(void *), void *data, unsigned threads,
			      unsigned flags)
{
	(void)flags;
	heddle_omp_parallel(function, data, threads, NULL, NULL);
}

OMP_EXPORT void GOMP_barrier(void)
{
	heddle_omp_barrier(thread_self());
}
