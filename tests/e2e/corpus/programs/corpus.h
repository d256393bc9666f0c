/* SPDX-License-Identifier: Apache-2.0 */
/* What most programs of the corpus need. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LOCK pthread_mutex_lock
#define UNLOCK pthread_mutex_unlock
#define RUN2(f, g)                                    \
	do {                                          \
		pthread_t one, two;                   \
		pthread_create(&one, NULL, f, NULL);  \
		pthread_create(&two, NULL, g, NULL);  \
		pthread_join(one, NULL);              \
		pthread_join(two, NULL);              \
	} while (0)
