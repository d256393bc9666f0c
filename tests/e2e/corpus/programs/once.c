/* SPDX-License-Identifier: Apache-2.0 */
/* Lazy initialisation.  Wrong: by a flag of the program's own. */
#include "threads.h"

static pthread_once_t once = PTHREAD_ONCE_INIT;
static int *table;
#ifdef WRONG
static int initialised;
#endif

static void initialise(void)
{
	table = malloc(sizeof *table);
	*table = 5;
}

static void *use(void *unused)
{
	(void)unused;
#ifdef WRONG
	if (!initialised) {
		initialised = 1;
		initialise();
	}
	(void)once;
#else
	pthread_once(&once, initialise);
#endif
	assert(table && *table == 5);
	return NULL;
}

int main(void)
{
	start(use, 0);
	start(use, 0);
	finish();
	free(table);
	return 0;
}
