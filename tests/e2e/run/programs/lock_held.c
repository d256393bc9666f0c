// expect: lock-misuse:observed
// A thread says that it holds no lock, and holds one.
// TSAN: mutex held in the wrong context
#include <pthread.h>
void __tsan_check_no_mutexes_held(void);
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int main(void)
{
	__tsan_check_no_mutexes_held();
	pthread_mutex_lock(&m);
	__tsan_check_no_mutexes_held();
	pthread_mutex_unlock(&m);
	return 0;
}
