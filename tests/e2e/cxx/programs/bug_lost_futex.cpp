// A waiting loop of a program's own: the waker changes the value, but wakes only if it saw a waiter.
// STD c++20
// FINDS deadlock
#include <atomic>
#include <thread>

static std::atomic<int> value{ 0 }, waiters{ 0 };

int main()
{
	std::thread waiter([] {
		while (value == 0) {
			int seen = value;
			if (seen)
				break;
			waiters++;
			value.wait(0);
			waiters--;
		}
	});
	/* The store itself is no wake. */
	bool has_waiter = waiters > 0;
	value = 1;
	if (has_waiter)
		value.notify_one();
	waiter.join();
	return 0;
}
