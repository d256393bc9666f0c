// A waiter sleeps on a word of the program's own; the waker changes it and wakes only if it has seen a waiter.
// STD c++20
// FINDS deadlock
#include <atomic>
#include <thread>

static std::atomic<int> value{ 0 }, waiters{ 0 };

int main()
{
	std::thread waiter([] {
		while (value == 0) {
			value.wait(0);
			waiters++;	/* too late: it is to be counted before it sleeps */
		}
	});
	/* std::atomic::wait looks and yields for a while before it sleeps. */
	for (volatile int i = 0; i < 200; i++)
		;
	value = 1;
	if (waiters > 0)
		value.notify_one();
	waiter.join();
	return 0;
}
