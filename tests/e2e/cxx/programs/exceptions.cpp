// Exceptions: through locks, nested, rethrown, carried to another thread, through frames with hooks.
#include <cstdio>
#include <exception>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

static std::mutex lock;
static int shared;

struct guard {
	int &count;
	~guard() { count++; }
};

static int deep(int n, int &cleaned)
{
	guard g{ cleaned };
	shared++;
	if (n == 0)
		throw std::runtime_error("bottom");
	return deep(n - 1, cleaned) + 1;
}

static void locked(int n, int &cleaned)
{
	std::lock_guard<std::mutex> hold(lock);
	shared = deep(n, cleaned);
}

static std::string describe(const std::exception &e)
{
	std::string text = e.what();
	try {
		std::rethrow_if_nested(e);
	} catch (const std::exception &inner) {
		text += " <- " + describe(inner);
	}
	return text;
}

static void work(std::exception_ptr &out)
{
	int cleaned = 0;
	try {
		try {
			locked(3, cleaned);
		} catch (...) {
			std::throw_with_nested(std::logic_error("cleaned " + std::to_string(cleaned)));
		}
	} catch (...) {
		out = std::current_exception();
	}
}

int main()
{
	std::exception_ptr results[2];
	std::thread a(work, std::ref(results[0])), b(work, std::ref(results[1]));
	a.join();
	b.join();
	for (auto &r : results) {
		try {
			std::rethrow_exception(r);
		} catch (const std::exception &e) {
			std::printf("%s\n", describe(e).c_str());
		}
	}
	try {
		try {
			throw 5;
		} catch (int &n) {
			n++;
			throw;
		}
	} catch (int n) {
		std::printf("rethrown %d\n", n);
	}
	try {
		std::vector<int>().at(3);
	} catch (const std::out_of_range &) {
		std::printf("uncaught %d, lock is %s\n", std::uncaught_exceptions(), lock.try_lock() ? "free" : "held");
	}
	lock.unlock();
	return 0;
}
