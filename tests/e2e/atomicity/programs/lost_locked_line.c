/* SPDX-License-Identifier: Apache-2.0 */
/* DEPENDS: what
 * Two critical sections in one line. */
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int count;

/* clang-format off */
#define LOCKED(what) pthread_mutex_lock(&m); what; pthread_mutex_unlock(&m)
static void *add(void *p) { int n; LOCKED(n = count); n++; LOCKED(count = n); return p; }
/* clang-format on */

int main(void)
{
	pthread_t a, b;
	pthread_create(&a, NULL, add, NULL);
	pthread_create(&b, NULL, add, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
