// A map: nodes are linked by functions inside the library.
#include <map>
#include <thread>

static std::map<int, int> table;

static void store(int key)
{
	table[key] = key;	// FIRST store
}

static bool has(int key)
{
	return table.find(key) != table.end();	// SECOND has
}

int main()
{
	store(1);
	bool found = false;
	std::thread a([] { store(2); }), b([&] { found = has(3); });
	a.join();
	b.join();
	return found;
}
