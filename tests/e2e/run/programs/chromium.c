// expect: use-after-free:observed race:observed
// Chromium 841280: main reads a table that a worker, which alone takes the lock, replaces.
#include "turns.h"
MUTEX(m);
static int *table, count = 4;
static void *reader(void *a) { int *t = table; int v = t[1]; done(1); return v == 0 ? a : NULL; }
static void *worker(void *a)
{
	turn(1);
	LOCK(m);
	int *larger = calloc(8, sizeof(int));
	free(table);
	table = larger;
	count = 8;
	UNLOCK(m);
	return a;
}
int main(void) { table = calloc(4, sizeof(int)); both(reader, worker); free(table); return 0; }
