// A thread that is detached, one that is assigned to a global, one on the heap.
// OUTCOMES 1
// DFS
#include <cstdio>
#include <memory>
#include <thread>

static std::thread global;

int main()
{
	auto kept = std::make_unique<std::thread>([] {});
	global = std::thread([] {});
	bool differ = kept->get_id() != global.get_id();
	kept->detach();
	global.join();
	printf("%d %d %d\n", differ, kept->joinable(), global.joinable());
}
