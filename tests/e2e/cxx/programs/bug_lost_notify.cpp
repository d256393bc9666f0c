// The flag is set without the lock, and the notification can fall between the test and the wait.
// FINDS deadlock
// SEEDS 200
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>

/* Threads begin together: creating one takes longer than all that it does. */
static std::atomic<int> at_start{ 0 };
static void start_together()
{
	at_start++;
	while (at_start < 2)
		std::this_thread::yield();
}

static std::mutex lock;
static std::condition_variable changed;
static std::atomic<bool> is_ready{ false };

int main()
{
	std::thread waiter([] {
		start_together();
		std::unique_lock<std::mutex> hold(lock);
		while (!is_ready)
			changed.wait(hold);
	});
	start_together();
	is_ready = true;
	changed.notify_one();
	waiter.join();
	return 0;
}
