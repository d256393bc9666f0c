// expect: race:observed
// A relaxed flag orders nothing.
#include <stdatomic.h>
#include "turns.h"
static atomic_int flag;
static int data;
static void *one(void *a) { data = 1; atomic_store_explicit(&flag, 1, memory_order_relaxed); return a; }
static void *two(void *a) { while (!atomic_load_explicit(&flag, memory_order_relaxed)) sched_yield(); return data ? a : NULL; }
int main(void) { both(one, two); return 0; }
