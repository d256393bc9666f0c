// The exception of a broken promise is made by the library and read by the program.
// OUTCOMES 1
// DFS
#include <cstdio>
#include <future>
#include <memory>

int main()
{
	std::future<int> future;
	{
		auto promise = std::make_unique<std::promise<int>>();
		future = promise->get_future();
	}
	try {
		future.get();
	} catch (const std::future_error &e) {
		printf("%d\n", e.code() == std::future_errc::broken_promise);
	}
}
