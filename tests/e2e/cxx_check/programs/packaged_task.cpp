// A task whose exception is thrown again in the thread that asks for the result.
// OUTCOMES 1
#include <cstdio>
#include <future>
#include <stdexcept>
#include <thread>

int main()
{
	std::packaged_task<int(int)> task([](int n) -> int { throw std::out_of_range(n ? "far" : "near"); });
	auto result = task.get_future();
	std::thread t(std::move(task), 1);
	try {
		result.get();
	} catch (const std::logic_error &e) {
		printf("%s\n", e.what());
	}
	t.join();
}
