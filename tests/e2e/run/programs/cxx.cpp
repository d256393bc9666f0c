// expect:
// Static locals, shared pointers, exceptions, containers, futures, all used as they should be.
#include <atomic>
#include <condition_variable>
#include <future>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>
struct table {
	std::map<int, std::string> entries;
	table() { entries[1] = "one"; }
};
static table &shared() { static table t; return t; }
static std::mutex m;
static std::list<int> work;
static std::map<int, int> done;
static void worker(std::shared_ptr<std::vector<int>> v, int n)
{
	for (int i = 0; i < 200; i++) {
		std::lock_guard<std::mutex> g(m);
		if (!work.empty()) {
			done[work.front()]++;
			work.pop_front();
		}
		work.push_back(i * n);
		try {
			if (i % 50 == 0)
				throw std::runtime_error("again");
		} catch (const std::exception &) {
		}
	}
	if (shared().entries.at(1) != "one" || v->size() != 3)
		std::terminate();
}
int main()
{
	auto v = std::make_shared<std::vector<int>>(3, 7);
	std::vector<std::thread> threads;
	for (int i = 0; i < 3; i++)
		threads.emplace_back(worker, v, i);
	v.reset();
	auto f = std::async(std::launch::async, [] { return shared().entries.size(); });
	for (auto &t : threads)
		t.join();
	return f.get() != 1;
}
