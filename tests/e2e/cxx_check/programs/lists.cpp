// Moving, reversing and exchanging lists is done by the library.
// OUTCOMES 2
// DFS
#include <cstdio>
#include <list>
#include <mutex>
#include <thread>

static std::mutex lock;
static std::list<int> shared;

static void add(int n)
{
	std::list<int> own{n, n + 1, n + 2};
	own.reverse();
	std::lock_guard<std::mutex> hold(lock);
	shared.splice(shared.begin(), own, ++own.begin(), own.end());
}

int main()
{
	std::thread a(add, 1), b(add, 10);
	a.join();
	b.join();
	std::list<int> other{7};
	other.swap(shared);
	std::list<int> empty;
	shared.swap(empty);
	shared.swap(empty);
	for (int n : other)
		printf("%d ", n);
	printf("%d %d\n", shared.front(), (int)empty.size());
	other.sort();
	printf("%d\n", other.front());
}
