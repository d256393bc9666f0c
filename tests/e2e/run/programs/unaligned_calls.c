// expect: race:observed
// Accesses that a program makes by calls of sanitizer/common_interface_defs.h: the second pair has no lock.
#include <pthread.h>
#include <sanitizer/common_interface_defs.h>
#include <stdint.h>
#include <stdlib.h>

static char locked[16], open[16];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *worker(void *unused)
{
	pthread_mutex_lock(&lock);
	__sanitizer_unaligned_store64(locked + 1, 0x1122334455667788);
	pthread_mutex_unlock(&lock);
	__sanitizer_unaligned_store32(open + 3, 0x55667788);
	return unused;
}

int main(void)
{
	pthread_t t;
	pthread_create(&t, NULL, worker, NULL);
	pthread_mutex_lock(&lock);
	uint64_t seen = __sanitizer_unaligned_load64(locked + 1);
	pthread_mutex_unlock(&lock);
	uint16_t half = __sanitizer_unaligned_load16(open + 3);
	pthread_join(t, NULL);
	if ((seen != 0 && seen != 0x1122334455667788) || (half != 0 && half != 0x7788))
		abort();
	return 0;
}
