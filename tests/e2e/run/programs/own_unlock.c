// expect: lock-misuse:observed
// A lock of the program's own is released twice.
// TSAN: unlock of an unlocked mutex (or by a wrong thread)
#include "own_lock.h"
static int lock;
int main(void)
{
	own_lock(&lock, 0);
	own_unlock(&lock, 0);
	own_unlock(&lock, 0);
	return 0;
}
