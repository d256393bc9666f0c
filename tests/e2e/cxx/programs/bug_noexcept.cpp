// An exception reaches a function that may not throw.
// FINDS exception: an exception of type int is not caught
#include <mutex>
#include <thread>

static std::mutex lock;
static int value;

static int checked()
{
	std::lock_guard<std::mutex> hold(lock);
	if (value)
		throw 42;	// PLACE
	return value;
}

static void outer() noexcept
{
	checked();
}

int main()
{
	std::thread setter([] {
		std::lock_guard<std::mutex> hold(lock);
		value = 1;
	});
	outer();
	setter.join();
	return 0;
}
