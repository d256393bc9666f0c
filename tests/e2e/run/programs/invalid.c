// expect: lock-misuse:observed
// A mutex that was never initialised.
// TSAN: use of an invalid mutex (e.g. uninitialized or destroyed)
#include <pthread.h>
#include <string.h>
static pthread_mutex_t m;
int main(void)
{
	memset(&m, 0xff, sizeof(m));
	pthread_mutex_lock(&m);
	return 0;
}
