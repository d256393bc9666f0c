// Threads that live in a vector, which moves them when it grows; std::thread::join is code of the library.
// OUTCOMES 2
// DFS
#include <atomic>
#include <cstdio>
#include <thread>
#include <vector>

static std::atomic<int> last{0};

int main()
{
	std::vector<std::thread> threads;
	for (int i = 1; i <= 2; i++)
		threads.emplace_back([i] { last.store(i); });
	for (auto &t : threads)
		t.join();
	printf("%d %d\n", last.load(), threads[0].joinable());
}
