// A value that comes through a promise, or does not: the other thread may give it up first.
// OUTCOMES 2
#include <cstdio>
#include <future>
#include <thread>

int main()
{
	std::promise<int> promise;
	std::future<int> future = promise.get_future();
	std::thread t([&] { promise.set_value(7); });
	bool is_ready = future.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
	int value = future.get();
	t.join();
	printf("%d %d\n", is_ready, value);
}
