// The same table without a lock.
// FINDS race
#include <thread>
#include <unordered_map>

static std::unordered_map<int, int> table;

int main()
{
	std::thread a([] { table.reserve(20); }), b([] { table[1] = 1; });
	a.join();
	b.join();
}
