/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What threads keep to themselves and give up at their end: thread_local objects of C++, in
 * reverse order of their construction, then thread-specific data, in rounds over all keys.  Both
 * run under control, as part of their thread.
 *
 * A process that ends runs the first kind for the thread that calls exit, and neither for the
 * others.
 */
#include "rt/libc_wrap.h"
#include "rt/mem.h"
#include "rt/thread.h"
#include "rt/thread_local.h"

#define KEYS 1024

/* ---- thread_local objects ---- */

struct exit_call {
	void (*function)(void *);
	void *object;
	struct exit_call *older;
};

static RT_STATE struct exit_call *spare;
/* of the main thread, made by constructors before there are threads */
static RT_STATE struct exit_call *early;

static struct exit_call *exit_call_new(void)
{
	if (!spare) {
		const unsigned batch = 1024;
		struct exit_call *c = rt_map(batch * sizeof(*c));
		for (unsigned i = 0; i < batch; i++) {
			c[i].older = spare;
			spare = &c[i];
		}
	}
	struct exit_call *c = spare;
	spare = c->older;
	return c;
}

RT_EXPORT int __cxa_thread_atexit_impl(void (*function)(void *), void *object, void *dso)
{
	if (!g.session || g.internal)
		return REAL_FN(__cxa_thread_atexit_impl)(function, object, dso);
	struct exit_call **list = g.cur ? &g.cur->exit_calls : &early;
	struct exit_call *c = exit_call_new();
	*c = (struct exit_call){ function, object, *list };
	*list = c;
	return 0;
}

static void run(struct exit_call **list)
{
	/* A destructor may construct another object. */
	while (*list) {
		struct exit_call c = **list, *done = *list;
		*list = c.older;
		done->older = spare;
		spare = done;
		c.function(c.object);
	}
}

void thread_run_exit_calls(void)
{
	run(&g.cur->exit_calls);
	if (g.cur->id == 0)
		run(&early);
}

/* ---- thread-specific data ---- */

static RT_STATE void (*key_destructors[KEYS])(void *);
static RT_STATE unsigned keys_end; /* keys from here on have never had one */

void thread_run_key_destructors(void)
{
	for (int round = 0; round < PTHREAD_DESTRUCTOR_ITERATIONS; round++) {
		bool any = false;
		for (unsigned k = 0; k < keys_end; k++) {
			void *value = key_destructors[k] ? real_pthread_getspecific(k) : NULL;
			if (!value)
				continue;
			any = true;
			real_pthread_setspecific(k, NULL);
			key_destructors[k](value);
		}
		if (!any)
			return;
	}
}

/* Under control libc must not call the destructor a second time, when the donor ends. */
static void (*libcs_destructor(void (*destructor)(void *)))(void *)
{
	return g.session && !g.internal ? NULL : destructor;
}

static void key_made(pthread_key_t *key, void (*destructor)(void *), bool controlled, pc_t pc)
{
	if (g.session && !g.internal && *key < KEYS) {
		key_destructors[*key] = destructor;
		keys_end = *key < keys_end ? keys_end : *key + 1;
	}
	if (controlled)
		rt_libc_wrote(key, sizeof(*key), pc);
}

RT_EXPORT int pthread_key_create(pthread_key_t *key, void (*destructor)(void *))
{
	bool controlled = rt_local_wrapper(PC);
	int rc = REAL_FN(pthread_key_create)(key, libcs_destructor(destructor));
	if (!rc)
		key_made(key, destructor, controlled, PC);
	return rc;
}

extern __typeof__(pthread_key_create) __pthread_key_create LIBC_ALIAS(pthread_key_create);

RT_EXPORT int pthread_key_delete(pthread_key_t key)
{
	rt_local_wrapper(PC);
	if (key < KEYS)
		key_destructors[key] = NULL;
	return REAL_FN(pthread_key_delete)(key);
}

/* C11 */
RT_EXPORT int tss_create(tss_t *key, tss_dtor_t destructor)
{
	bool controlled = rt_local_wrapper(PC);
	int rc = REAL_FN(tss_create)(key, libcs_destructor(destructor));
	if (rc == thrd_success)
		key_made(key, destructor, controlled, PC);
	return rc;
}

RT_EXPORT void tss_delete(tss_t key)
{
	rt_local_wrapper(PC);
	if (key < KEYS)
		key_destructors[key] = NULL;
	REAL_FN(tss_delete)(key);
}
