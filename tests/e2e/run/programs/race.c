// expect: race:observed
// Two threads count without a lock.
// TSAN: data race
#include "turns.h"
static int counter;
static void *one(void *a) { counter++; done(1); return a; }
static void *two(void *a) { turn(1); counter++; return a; }
int main(void) { both(one, two); return 0; }
