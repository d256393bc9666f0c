// expect:
// The same behind a common lock, and by one thread alone.
#include "turns.h"
MUTEX(m);
MUTEX(n);
MUTEX(gate);
MUTEX(p);
MUTEX(q);
static void *one(void *a) { LOCK(gate); LOCK(m); LOCK(n); UNLOCK(n); UNLOCK(m); UNLOCK(gate); done(1); return a; }
static void *two(void *a)
{
	turn(1);
	LOCK(gate); LOCK(n); LOCK(m); UNLOCK(m); UNLOCK(n); UNLOCK(gate);
	LOCK(p); LOCK(q); UNLOCK(q); UNLOCK(p);
	LOCK(q); LOCK(p); UNLOCK(p); UNLOCK(q);
	return a;
}
int main(void) { both(one, two); return 0; }
