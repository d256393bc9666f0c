// Two threads hold one exception; the one that lets it go last destroys it.  The fault hides which one it is.
// OUTCOMES 2
// DFS
// FAULT EXCEPTION_COUNT_HIDDEN
#include <cstdio>
#include <exception>
#include <thread>

static thread_local int self;

struct trace {
	int made = 0;
	~trace() { printf("destroyed by %d\n", self); }
};

int main()
{
	std::exception_ptr first = std::make_exception_ptr(0), second;
	try {
		throw trace();
	} catch (...) {
		first = second = std::current_exception();
	}
	std::thread t([p = std::move(second)]() mutable {
		self = 1;
		p = nullptr;
	});
	first = nullptr;
	t.join();
}
