// A hash table that grows under a lock.
// OUTCOMES 2
// DFS 500
#include <cstdio>
#include <mutex>
#include <string>
#include <thread>
#include <unordered_map>

static std::mutex lock;
static std::unordered_map<std::string, int> table;

static void add(const char *key)
{
	std::lock_guard<std::mutex> hold(lock);
	int n = (int)table.size();
	table[key] = n;
}

int main()
{
	std::thread a(add, "left"), b(add, "right");
	a.join();
	b.join();
	printf("%d %d\n", table["left"], table["right"]);
}
