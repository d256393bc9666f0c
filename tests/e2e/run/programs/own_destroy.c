// expect: lock-misuse:observed
// A lock of the program's own is destroyed while it is held.
// TSAN: destroy of a locked mutex
#include "own_lock.h"
static int lock;
int main(void)
{
	__tsan_mutex_create(&lock, 0);
	own_lock(&lock, 0);
	__tsan_mutex_destroy(&lock, 0);
	return 0;
}
