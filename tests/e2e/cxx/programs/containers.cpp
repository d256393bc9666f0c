// Containers of the library under a lock: what it copies with its nodes includes padding that nobody wrote.
#include <cstdio>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

static std::mutex lock;
static std::set<int> numbers;
static std::map<std::string, int> words;

int main()
{
	std::vector<std::thread> threads;
	for (int t = 0; t < 3; t++)
		threads.emplace_back([t] {
			for (int i = 0; i < 6; i++) {
				std::lock_guard<std::mutex> hold(lock);
				numbers.insert(i * 3 + t);
				words["w" + std::to_string(i)] += t;
			}
		});
	for (auto &t : threads)
		t.join();
	std::printf("%zu %zu %d\n", numbers.size(), words.size(), words["w3"]);
}
