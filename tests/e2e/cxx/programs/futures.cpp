// async, future, shared_future, promise, packaged_task; values, exceptions, timeouts.
// EXCEPT clang++ -O0: a function object without state is called with an undefined address of itself
#include <chrono>
#include <cstdio>
#include <future>
#include <numeric>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

using namespace std::chrono_literals;

static long tree_sum(const int *from, const int *to)
{
	if (to - from < 3)
		return std::accumulate(from, to, 0L);
	const int *middle = from + (to - from) / 2;
	auto left = std::async(std::launch::async, tree_sum, from, middle);
	return tree_sum(middle, to) + left.get();
}

int main()
{
	std::vector<int> numbers{ 1, 2, 3, 4, 5, 6, 7, 8 };
	std::printf("sum %ld\n", tree_sum(numbers.data(), numbers.data() + numbers.size()));

	auto failing = std::async(std::launch::async, []() -> int { throw std::out_of_range("no such thing"); });
	try {
		failing.get();
	} catch (const std::out_of_range &e) {
		std::printf("caught %s\n", e.what());
	}
	auto lazy = std::async(std::launch::deferred, [] { return std::string("deferred"); });
	std::printf("%s\n", lazy.get().c_str());

	std::promise<int> answer;
	std::shared_future<int> seen = answer.get_future().share();
	auto ask = [seen] { return seen.get() + 1; };
	std::packaged_task<int()> task(ask);
	auto from_task = task.get_future();
	std::thread runner(std::move(task));
	std::thread giver([&] { answer.set_value(41); });
	std::printf("%d %d\n", from_task.get(), seen.get());
	runner.join();
	giver.join();

	std::promise<void> never;
	auto waiting = never.get_future();
	std::printf("%s\n", waiting.wait_for(1ms) == std::future_status::timeout ? "timeout" : "ready");
	std::future<int> broken;
	{
		std::promise<int> left_alone;
		broken = left_alone.get_future();
	}
	try {
		broken.get();
	} catch (const std::future_error &e) {
		std::printf("broken promise %d\n", e.code() == std::future_errc::broken_promise);
	}
	return 0;
}
