// call_once, also with an exception; static local variables: initialised once, by one of several threads.
// EXCEPT clang++ -O0: a function object without state is called with an undefined address of itself
#include <cstdio>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>

struct noisy {
	static int made;
	std::string text;
	explicit noisy(const char *t) : text(t)
	{
		for (int i = 0; i < 3; i++)
			std::this_thread::yield();
		made++;
	}
};
int noisy::made;

static noisy &instance()
{
	static noisy the_one("made by whoever came first, and long enough for the heap");
	return the_one;
}

static int attempts;
static std::mutex attempts_lock;

static int fails_first()
{
	std::lock_guard<std::mutex> hold(attempts_lock);
	if (attempts++ == 0)
		throw std::runtime_error("not yet");
	return 7;
}

static int seven()
{
	for (;;) {
		try {
			static int value = fails_first();
			return value;
		} catch (const std::runtime_error &) {
			std::this_thread::yield();
		}
	}
}

static std::once_flag flag, throwing;
static int calls, tries;

static void work()
{
	std::call_once(flag, [] { calls++; });
	try {
		std::call_once(throwing, [] {
			if (tries++ == 0)
				throw 1;
		});
	} catch (int) {
		std::call_once(throwing, [] { tries++; });
	}
	instance();
	seven();
}

int main()
{
	std::thread a(work), b(work), c(work);
	a.join();
	b.join();
	c.join();
	std::printf("%d %d %d %d %zu\n", noisy::made, calls, tries, attempts, instance().text.size());
	return seven() - 7;
}
