// expect:
// A race that the program knows, a lock of its own making, and an order that only it knows: all of them are declared.
#include "turns.h"
#include "../../../../include/heddle/annotations.h"
void AnnotateBenignRaceSized(const char *file, int line, const volatile void *p, long size, const char *why);
void AnnotateHappensBefore(const char *file, int line, const volatile void *p);
void AnnotateHappensAfter(const char *file, int line, const volatile void *p);
static int known, guarded, passed;
static volatile char word;
__attribute__((no_sanitize("thread"), noinline)) static void get(void)
{
	heddle_lock_request(&word);
	while (__atomic_test_and_set(&word, __ATOMIC_ACQUIRE))
		sched_yield();
	heddle_lock_acquired(&word);
}
__attribute__((no_sanitize("thread"), noinline)) static void put(void)
{
	heddle_lock_release(&word);
	__atomic_clear(&word, __ATOMIC_RELEASE);
}
static void *first(void *a)
{
	known++;
	get();
	guarded++;
	put();
	passed = 1;
	AnnotateHappensBefore(__FILE__, __LINE__, &passed);
	done(1);
	return a;
}
static void *second(void *a)
{
	known++;
	get();
	guarded++;
	put();
	turn(1);
	AnnotateHappensAfter(__FILE__, __LINE__, &passed);
	passed = 2;
	return a;
}
int main(void)
{
	AnnotateBenignRaceSized(__FILE__, __LINE__, &known, sizeof(known), "counts roughly");
	both(first, second);
	return known < 1;
}
