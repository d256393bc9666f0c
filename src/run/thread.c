/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Threads: slots, lives, creation, end and join.
 *
 * A thread has a slot in the clocks.  The first SLOTS_FRESH threads each get a new one.  Later
 * threads reuse the slot of the thread that ended first and continue its epochs, so that what
 * other clocks contain of the slot stays correct.  Actions of the former owner are then taken for
 * actions of the new one: such pairs are missed.
 *
 * The end of a thread is detected by the destructor of a key, in the last round of destructors,
 * after those of the program.  The main thread has such a key, too, from the first creation on.
 */
#include "run/thread.h"

#include <errno.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include "run/clock.h"
#include "run/crash.h"
#include "run/guard.h"
#include "run/history.h"
#include "run/lock.h"
#include "run/memory.h"
#include "run/misuse.h"
#include "run/place.h"
#include "run/real.h"
#include "run/run.h"
#include "run/shadow.h"
#include "run/signals.h"
#include "run/stacks.h"
#include "run/start.h"
#include "run/state.h"
#include "run/report.h"
#include "run/thr.h"
#include "run/ticks.h"
#include "run/waits.h"
#include "run/wrap.h"

/* Threads that get a slot of their own before slots of ended threads are reused. */
#define SLOTS_FRESH 128

#define DESTRUCTOR_ROUNDS 4 /* PTHREAD_DESTRUCTOR_ITERATIONS of Linux */

struct life *g_lives;
uint32_t g_life_count;

static struct {
	uint32_t lock;
	uint32_t free[SLOTS_MAX]; /* ring of slots whose thread has ended */
	uint32_t free_first, free_count;
	pthread_key_t key;
	uint32_t has_key;
} threads;

/* Used from creation to the new thread's first step, and from its end to the join. */
struct handle {
	pthread_t thread;
	void *(*routine)(void *);
	void *argument;
	struct clock *clock; /* creator's, then the thread's last */
	uint32_t creator, stack, uid;
	uint32_t is_ready;    /* 1: the thread has ended, 2: it is detached */
	uint32_t rounds;      /* of destructors so far */
	uint32_t users;	      /* the thread, and its creator during the creation */
	bool is_first;	      /* it was not created */
	char name[NAME_SIZE]; /* creator's */
	struct handle *next;
};
static struct handle *handles; /* of threads that are not joined yet */
static uint32_t handles_lock;
static struct handle *spare;

static uint32_t take_slot(void)
{
	uint32_t slot = SLOTS_MAX;
	run_lock(&threads.lock);
	if (threads.free_count && run_state.slot_count >= SLOTS_FRESH) {
		slot = threads.free[threads.free_first++ % SLOTS_MAX];
		threads.free_count--;
	} else if (run_state.slot_count < SLOTS_MAX) {
		slot = run_state.slot_count;
	}
	run_unlock(&threads.lock);
	return slot;
}

struct life *life_of(uint32_t slot, uint32_t epoch)
{
	uint32_t last = g_life_count < LIVES ? g_life_count : LIVES;
	for (uint32_t i = last; i-- > 0;)
		if (g_lives[i].slot == slot && g_lives[i].epoch <= epoch)
			return &g_lives[i];
	return NULL;
}

/*
 * The kernel has the name of a thread, however it was set.  A new thread has that of its creator,
 * which is none of its own.  The creator notes it: the new thread may be named before it runs.
 */
static void get_own_name(char name[NAME_SIZE])
{
	run_syscall(SYS_prctl, PR_GET_NAME, (long)name, 0, 0, 0, 0);
}

static void take_name(struct life *l, const char *name, const char *first)
{
	unsigned i = 0;
	while (i < sizeof(l->name) - 1 && name[i] && name[i] == first[i])
		i++;
	if (name[i] == first[i] || l->is_named)
		return;
	for (i = 0; i < sizeof(l->name) - 1 && (l->name[i] = name[i]); i++)
		;
}

static void note_last_name(const struct thr *t)
{
	char name[NAME_SIZE] = { 0 };
	get_own_name(name);
	if (t->uid < LIVES && name[0])
		take_name(&g_lives[t->uid], name, t->first_name);
}

struct thr *thread_begin(uint32_t creator, uint32_t stack, const struct clock *from)
{
	static uint32_t lock;
	run_lock(&lock); /* one slot at a time */
	uint32_t slot = take_slot();
	struct thr *t = slot < SLOTS_MAX ? thr_new(slot) : NULL;
	if (t) {
		clock_join(t, from);
		t->clock[t->slot] = (struct tick){ t->epoch, t->epoch };
		t->uid = g_life_count++;
		if (t->uid < LIVES)
			g_lives[t->uid] = (struct life){
				.slot = slot, .epoch = t->epoch, .creator = creator, .stack = stack
			};
		t->tid = (uint32_t)run_syscall(SYS_gettid, 0, 0, 0, 0, 0, 0);
		get_own_name(t->first_name);
		history_begin(t);
		signals_begin(t);
		crash_begin_thread(t);
	}
	run_unlock(&lock);
	return t;
}

void thread_end(struct thr *t, struct clock **last)
{
	wait_leave(t);
	if (t == run_self)
		note_last_name(t);
	stacks_remove(t);
	if (t == run_self)
		crash_end_thread(t);
	if (last)
		clock_replace(t, last);
	if (t->uid < LIVES)
		g_lives[t->uid].end_epoch = t->epoch;
	thr_tick(t);
	t->is_alive = false;
	run_self = NULL;
}

void thread_free_slot(const struct thr *t)
{
	run_lock(&threads.lock);
	threads.free[(threads.free_first + threads.free_count++) % SLOTS_MAX] = t->slot;
	run_unlock(&threads.lock);
}

void thread_unwatch(void)
{
	run_state.is_active = 0;
	run_self = NULL;
}

static struct handle *new_handle(void)
{
	run_lock(&handles_lock);
	struct handle *h = spare;
	if (h)
		spare = h->next;
	run_unlock(&handles_lock);
	h = h ? h : run_alloc(sizeof(*h));
	*h = (struct handle){ .users = 1 };
	return h;
}

static void drop_handle(struct handle *h)
{
	if (__atomic_sub_fetch(&h->users, 1, __ATOMIC_ACQ_REL))
		return;
	clock_free(h->clock);
	run_lock(&handles_lock);
	h->next = spare;
	spare = h;
	run_unlock(&handles_lock);
}

static void keep_handle(struct handle *h)
{
	run_lock(&handles_lock);
	h->next = handles;
	handles = h;
	run_unlock(&handles_lock);
}

/* Before the real function: after the join or detach the handle may be another thread's. */
static struct handle *take_handle(pthread_t thread)
{
	run_lock(&handles_lock);
	struct handle **link = &handles, *h;
	while ((h = *link) && !pthread_equal(h->thread, thread))
		link = &h->next;
	if (h)
		*link = h->next;
	run_unlock(&handles_lock);
	return h;
}

static void forget_handle(const struct handle *h)
{
	run_lock(&handles_lock);
	struct handle **link = &handles;
	while (*link && *link != h)
		link = &(*link)->next;
	if (*link)
		*link = h->next;
	run_unlock(&handles_lock);
}

/* Sets the key again until the program's own destructors have run. */
static void at_end(void *value)
{
	struct handle *h = value;
	if (++h->rounds < DESTRUCTOR_ROUNDS) {
		pthread_setspecific(threads.key, h);
		return;
	}
	struct thr *t = run_self;
	gate_enter(t);
	if (t) {
		lock_release_all(t);
		thread_end(t, &h->clock);
		run_enter(NULL); /* it has no struct thr from here on */
		run_leave(t);
		thread_free_slot(t);
	}
	if (__atomic_exchange_n(&h->is_ready, 1, __ATOMIC_ACQ_REL) == 2)
		drop_handle(h); /* detached */
	run_leave(NULL);
}

/* The calling thread has no struct thr yet; it becomes the thread of the handle. */
static void attach(struct handle *h)
{
	gate_enter(NULL);
	struct thr *t = run_state.is_active ? thread_begin(h->creator, h->stack, h->clock) : NULL;
	if (t) {
		pthread_attr_t a;
		void *low;
		size_t size;
		if (!pthread_getattr_np(pthread_self(), &a)) {
			if (!pthread_attr_getstack(&a, &low, &size)) {
				shadow_clear((uintptr_t)low, size);
				stacks_add(t, (uintptr_t)low, size);
			}
			pthread_attr_destroy(&a);
		}
		if (h->name[0])
			run_copy(t->first_name, h->name, NAME_SIZE);
		h->uid = t->uid;
		t->handle = (uintptr_t)pthread_self();
		pthread_setspecific(threads.key, h);
		run_self = t;
	}
	run_leave(NULL);
}

static void *thread_main(void *value)
{
	struct handle *h = value;
	void *(*routine)(void *) = h->routine;
	void *argument = h->argument;
	attach(h);
	return routine(argument);
}

/* The thread that creates the first other one may call pthread_exit and may be joined. */
static void begin_first(struct thr *t)
{
	pthread_key_create(&threads.key, at_end);
	struct handle *h = new_handle();
	h->uid = t->uid;
	h->is_first = true;
	h->thread = pthread_self();
	t->handle = (uintptr_t)pthread_self();
	pthread_setspecific(threads.key, h);
	keep_handle(h);
	exit_begin();
}

void thread_before_create(struct thr *t)
{
	if (!__atomic_exchange_n(&threads.has_key, 1, __ATOMIC_ACQ_REL))
		begin_first(t);
	__atomic_store_n(&run_state.is_parallel, 1, __ATOMIC_RELEASE);
}

void thread_adopt(uint32_t creator, uint32_t stack)
{
	if (run_self)
		return;
	struct handle *h = new_handle();
	h->creator = creator;
	h->stack = stack;
	h->is_ready = 2; /* it is not joined */
	attach(h);
}

static int create(pthread_t *thread, const pthread_attr_t *a, void *(*routine)(void *),
		  void *argument, uintptr_t pc)
{
	struct thr *t = run_self;
	if (!t)
		return REAL_FN(pthread_create)(thread, a, routine, argument);
	bool is_first = !run_state.is_parallel;
	thread_before_create(t);
	struct handle *h = new_handle();
	h->routine = routine;
	h->argument = argument;
	h->creator = t->uid;
	h->stack = stack_now(t, pc);
	get_own_name(h->name);
	lock_catch_up(t);
	clock_replace(t, &h->clock);
	thr_tick(t);
	int state = PTHREAD_CREATE_JOINABLE;
	if (a)
		pthread_attr_getdetachstate(a, &state);
	if (state == PTHREAD_CREATE_DETACHED)
		h->is_ready = 2; /* at_end drops it */
	/* glibc stores the id before the thread runs, which may detach itself at once. */
	h->users = 2;
	if (state == PTHREAD_CREATE_JOINABLE)
		keep_handle(h);
	run_self = NULL; /* accesses of glibc itself are not recorded */
	int rc = REAL_FN(pthread_create)(&h->thread, a, thread_main, h);
	run_self = t;
	if (unlikely(t->has_pending))
		signals_deliver(t);
	if (is_first)
		state_answer_tool();
	if (!rc) {
		*thread = h->thread;
	} else {
		forget_handle(h);
		drop_handle(h);
	}
	drop_handle(h);
	return rc;
}

/*
 * At the very end of the process: threads that have ended and were not joined.  Destructors of the
 * program may join threads, and so may those of libraries, which come after this one: the handles
 * stay where they are found.
 */
static void __attribute__((destructor(101))) report_leaks(void)
{
	struct handle *list = NULL, **last = &list;
	if (!run_self || !run_state.options.finds_thread_leaks)
		return;
	run_lock(&handles_lock);
	list = handles;
	handles = NULL;
	run_unlock(&handles_lock);
	/* A report needs locks of the dynamic linker, so this one is not held. */
	for (; *last; last = &(*last)->next) {
		const struct handle *h = *last;
		if (!h->is_first && h->uid && __atomic_load_n(&h->is_ready, __ATOMIC_ACQUIRE) == 1)
			report_leak(h->uid, h->creator);
	}
	run_lock(&handles_lock);
	*last = handles;
	handles = list;
	run_unlock(&handles_lock);
}

void thread_forget_others(void)
{
	struct handle *own = take_handle(pthread_self());
	handles = NULL;
	if (own)
		keep_handle(own);
}

static int joined(struct thr *t, struct handle *h, int rc)
{
	if (!h)
		return rc;
	if (rc) {
		keep_handle(h);
		return rc;
	}
	if (__atomic_load_n(&h->is_ready, __ATOMIC_ACQUIRE) == 1)
		clock_join(t, h->clock);
	drop_handle(h);
	return rc;
}

RUN_EXPORT int pthread_create(pthread_t *thread, const pthread_attr_t *a, void *(*routine)(void *),
			      void *argument)
{
	return create(thread, a, routine, argument, PLACE);
}

RUN_EXPORT int pthread_join(pthread_t thread, void **result)
{
	struct thr *t = run_self;
	if (!t)
		return REAL_FN(pthread_join)(thread, result);
	uint32_t stack = STACK;
	struct handle *h = take_handle(thread);
	misuse_wait(t, (const void *)thread, OBJECT_THREAD, stack);
	int rc = REAL_FN(pthread_join)(thread, result);
	wait_end(t);
	return joined(t, h, rc);
}

/* `arguments` are the parameters' names in parentheses. */
#define JOIN_BY(name, parameters, arguments)                               \
	RUN_EXPORT int name parameters                                     \
	{                                                                  \
		struct thr *t = run_self;                                  \
		if (!t)                                                    \
			return REAL_FN(name) arguments;                    \
		struct handle *h = take_handle(thread);                    \
		wait_begin(t, (const void *)thread, OBJECT_THREAD, STACK); \
		int rc = REAL_FN(name) arguments;                          \
		wait_end(t);                                               \
		return joined(t, h, rc);                                   \
	}

JOIN_BY(pthread_tryjoin_np, (pthread_t thread, void **result), (thread, result))
JOIN_BY(pthread_timedjoin_np, (pthread_t thread, void **result, const struct timespec *end),
	(thread, result, end))
JOIN_BY(pthread_clockjoin_np,
	(pthread_t thread, void **result, clockid_t clock, const struct timespec *end),
	(thread, result, clock, end))

RUN_EXPORT int pthread_detach(pthread_t thread)
{
	struct handle *h = run_self ? take_handle(thread) : NULL;
	int rc = REAL_FN(pthread_detach)(thread);
	if (h && rc)
		keep_handle(h);
	else if (h && __atomic_exchange_n(&h->is_ready, 2, __ATOMIC_ACQ_REL) == 1)
		drop_handle(h); /* it has already ended */
	return rc;
}

const char *thread_name_of(uint32_t uid)
{
	struct life *l = &g_lives[uid];
	const struct thr *t = run_state.slots[l->slot];
	if (l->end_epoch || !t || t->uid != uid)
		return l->name;
	char path[64], name[NAME_SIZE + 1];
	char *end = run_put_text(path, "/proc/self/task/");
	run_put_text(run_put_number(end, t->tid), "/comm");
	long n = run_read_file(path, name, sizeof(name));
	if (n > 0) {
		name[n - (name[n - 1] == '\n')] = 0;
		take_name(l, name, t->first_name);
	}
	return l->name;
}

void thread_name(struct thr *t, const char *name)
{
	if (t->uid >= LIVES)
		return;
	struct life *l = &g_lives[t->uid];
	l->is_named = true;
	for (unsigned i = 0; i < sizeof(l->name) - 1 && (l->name[i] = name[i]); i++)
		;
}
