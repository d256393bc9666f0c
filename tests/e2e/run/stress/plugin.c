/* SPDX-License-Identifier: Apache-2.0 */
// Opened later: its race and its locks are seen.
#include <pthread.h>
static pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;
int plugin_racy, plugin_fine;
void *plugin_work(void *a);
void *plugin_work(void *a)
{
	pthread_rwlock_wrlock(&l);
	plugin_fine++;
	pthread_rwlock_unlock(&l);
	plugin_racy++;
	return a;
}
