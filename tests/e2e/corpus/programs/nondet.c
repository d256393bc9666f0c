/* SPDX-License-Identifier: Apache-2.0 */
/* A request with a code that comes from outside.  Wrong: one code skips the unlock. */
#include "threads.h"

extern int __VERIFIER_nondet_int(void);

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int handled, missing;

static void *handle(void *unused)
{
	(void)unused;
	int code = __VERIFIER_nondet_int();
	pthread_mutex_lock(&lock);
	if (code == 404) {
#ifdef WRONG
		return NULL;
#else
		missing++;
#endif
	}
	handled++;
	pthread_mutex_unlock(&lock);
	return NULL;
}

int main(void)
{
	start(handle, 0);
	start(handle, 0);
	finish();
	return handled == 2 ? 0 : 1;
}
