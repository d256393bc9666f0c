/* SPDX-License-Identifier: Apache-2.0 */
/* A lock made of functions that are atomic by their names.  Wrong: test and set are two of them. */
#include "threads.h"

extern void __VERIFIER_assume(int);

static int held, inside;

#ifdef WRONG
static void __VERIFIER_atomic_wait(void)
{
	__VERIFIER_assume(!held);
}

static void __VERIFIER_atomic_set(void)
{
	held = 1;
}

static void acquire(void)
{
	__VERIFIER_atomic_wait();
	__VERIFIER_atomic_set();
}
#else
static void __VERIFIER_atomic_acquire(void)
{
	__VERIFIER_assume(!held);
	held = 1;
}

static void acquire(void)
{
	__VERIFIER_atomic_acquire();
}
#endif

static void __VERIFIER_atomic_release(void)
{
	held = 0;
}

static void __VERIFIER_atomic_enter(void)
{
	assert(!inside);
	inside = 1;
}

static void __VERIFIER_atomic_leave(void)
{
	inside = 0;
}

static void *work(void *unused)
{
	(void)unused;
	acquire();
	__VERIFIER_atomic_enter();
	__VERIFIER_atomic_leave();
	__VERIFIER_atomic_release();
	return NULL;
}

int main(void)
{
	start(work, 0);
	start(work, 0);
	finish();
	return 0;
}
