// Pointers to members travel through std::async into a thread.
// OUTCOMES 1
#include <cstdio>
#include <future>
#include <vector>

struct counter {
	int start;
	int next(int by) { return start + by; }
};

int main()
{
	counter c{4};
	std::vector<std::future<int>> results;
	results.push_back(std::async(std::launch::async, &counter::next, &c, 1));
	results.push_back(std::async(std::launch::deferred, [] { return 10; }));
	int sum = 0;
	for (auto &r : results)
		sum += r.get();
	printf("%d\n", sum);
}
