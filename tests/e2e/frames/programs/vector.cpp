// Two functions work on one vector without a lock: the places are in them, not in the header.
#include <cstdio>
#include <thread>
#include <vector>

namespace shop {
std::vector<int> orders;

void take()
{
	orders.push_back(1);	// FIRST take
}

int count()
{
	return (int)orders.size();	// SECOND count
}
}

int main()
{
	shop::orders.reserve(4);
	std::thread a(shop::take), b([] { printf("%d\n", shop::count()); });
	a.join();
	b.join();
}
