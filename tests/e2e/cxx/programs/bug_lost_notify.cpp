// The flag is set without the lock, and the notification can fall between the test and the wait.
// FINDS deadlock
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>

static std::mutex lock;
static std::condition_variable changed;
static std::atomic<bool> is_ready{ false };

int main()
{
	std::thread waiter([] {
		std::unique_lock<std::mutex> hold(lock);
		while (!is_ready)
			changed.wait(hold);
	});
	is_ready = true;
	changed.notify_one();
	waiter.join();
	return 0;
}
