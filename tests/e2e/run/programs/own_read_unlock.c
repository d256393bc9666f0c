// expect: lock-misuse:observed
// A lock of the program's own is held for writing and released for reading.
// TSAN: read unlock of a write locked mutex
#include "own_lock.h"
static int lock;
int main(void)
{
	own_lock(&lock, 0);
	own_unlock(&lock, FOR_READING);
	return 0;
}
