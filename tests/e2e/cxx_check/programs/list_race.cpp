// A list is reversed while another thread looks at its front.
// FINDS race
#include <list>
#include <thread>

static std::list<int> shared{1, 2, 3};

int main()
{
	std::thread a([] { shared.reverse(); }), b([] { if (shared.front() == 2) __builtin_abort(); });
	a.join();
	b.join();
}
