// expect:
// The same under a lock.
#include "turns.h"
MUTEX(m);
static int counter;
static void *work(void *a)
{
	for (int i = 0; i < 10000; i++) {
		LOCK(m);
		counter++;
		UNLOCK(m);
	}
	return a;
}
int main(void) { both(work, work); return counter != 20000; }
