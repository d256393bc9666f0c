/* SPDX-License-Identifier: Apache-2.0 */
// A wait with a predicate.  Wrong: without it, so that an early notification is lost.
#include <condition_variable>
#include <mutex>
#include <thread>

static std::mutex lock;
static std::condition_variable changed;
static bool ready;

int main()
{
	std::thread other([] {
		std::lock_guard<std::mutex> guard(lock);
		ready = true;
		changed.notify_one();
	});
	{
		std::unique_lock<std::mutex> guard(lock);
#ifdef WRONG
		changed.wait(guard);
#else
		changed.wait(guard, [] { return ready; });
#endif
	}
	other.join();
	return 0;
}
