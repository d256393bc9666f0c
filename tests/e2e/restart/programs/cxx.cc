// RESTART inplace
// The C++ library's state: streams, static objects in functions, exceptions, thread_local objects.
#include <iostream>
#include <map>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>

static std::map<int, std::string> names;
static std::mutex lock;
static thread_local std::string own = "own";

static int &counter()
{
	static int *count = new int(5);
	return *count;
}

static void work(int n)
{
	try {
		own += std::to_string(n);
		std::lock_guard<std::mutex> guard(lock);
		names[n] = own;
		if (++counter() > 6)
			throw std::runtime_error("second");
	} catch (const std::exception &e) {
		std::cout << e.what() << "\n";
	}
}

int main()
{
	if (!names.empty() || counter() != 5)
		return 1;
	auto shared = std::make_shared<int>(4);
	std::thread a(work, 1), b([shared] { work(*shared); });
	a.join();
	b.join();
	for (auto &entry : names)
		std::cout << entry.first << ' ' << entry.second << ' ';
	return 0;
}
