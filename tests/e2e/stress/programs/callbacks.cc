/*
 * Callbacks of libc that are left by an exception or by a jump, also from two calls deep, and calls that go on after an
 * exception was caught inside.  After each of them the thread spins, without a call of any function, until another
 * thread has slept and counted: preemption must be on, and the sleep must end, whatever the policy.
 */
#include <cstdio>
#include <cstdlib>
#include <atomic>
#include <csetjmp>
#include <search.h>
#include <thread>
#include <unistd.h>

static std::atomic<int> wanted, counted;
static void *tree;
static jmp_buf way_out;
static int visits;

static int compare(const void *a, const void *b)
{
	return *(const int *)a < *(const int *)b ? -1 : *(const int *)a > *(const int *)b;
}

static void count_when_asked()
{
	for (int n = 1; n <= 5; n++) {
		while (wanted < n)
			usleep(10);
		usleep(1000);
		counted = n;
	}
}

static void spin_until_counted(const char *what)
{
	int n = ++wanted;
	while (counted < n)
		;
	printf("%s: %d\n", what, n);
}

static void throws(const void *, VISIT, int)
{
	throw 1;
}

static void jumps(const void *, VISIT, int)
{
	longjmp(way_out, 1);
}

static void walks_and_throws(const void *, VISIT, int)
{
	twalk(tree, throws);
}

static void walks_and_catches(const void *, VISIT, int)
{
	try {
		twalk(tree, throws);
	} catch (int) {
		visits++;
	}
}

static bool leaves_by_exception(__action_fn_t callback)
{
	try {
		twalk(tree, callback);
	} catch (int) {
		return true;
	}
	return false;
}

int main()
{
	static int keys[] = { 2, 1, 3 };
	for (int &key : keys)
		tsearch(&key, &tree, compare);
	std::thread counter(count_when_asked);
	printf("%d ", leaves_by_exception(throws));
	spin_until_counted("an exception");
	printf("%d ", leaves_by_exception(walks_and_throws));
	spin_until_counted("an exception out of two calls");
	if (!setjmp(way_out))
		twalk(tree, jumps);
	spin_until_counted("a jump");
	printf("%d ", leaves_by_exception(walks_and_catches));
	printf("%d ", visits);
	spin_until_counted("caught inside");
	int one = 1;
	try {
		bsearch(&one, keys, 3, sizeof(*keys), [](const void *, const void *) -> int { throw 2; });
	} catch (int n) {
		printf("%d ", n);
	}
	spin_until_counted("out of a search");
	counter.join();
}
