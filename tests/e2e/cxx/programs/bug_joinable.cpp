// A std::thread that is still joinable is destroyed when an early return is taken.
// FINDS exception: std::terminate was called without an exception
#include <atomic>
#include <thread>

static std::atomic<int> done{ 0 };

static bool run()
{
	std::thread worker([] { done = 1; });
	if (!done)
		return false;
	worker.join();
	return true;
}

int main()
{
	return run() ? 0 : 1;
}
