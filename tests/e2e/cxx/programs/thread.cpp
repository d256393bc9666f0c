// std::thread: arguments, results by reference, move, detach, ids, names of threads in containers.
#include <algorithm>
#include <cstdio>
#include <functional>
#include <mutex>
#include <numeric>
#include <condition_variable>
#include <string>
#include <thread>
#include <vector>

static void sum(const std::vector<int> &of, int from, int to, long &out)
{
	out = std::accumulate(of.begin() + from, of.begin() + to, 0L);
}

struct counter {
	std::mutex lock;
	std::condition_variable changed;
	int left = 2;
	void done()
	{
		std::lock_guard<std::mutex> hold(lock);
		left--;
		changed.notify_one();
	}
};

int main()
{
	std::vector<int> numbers(64);
	std::iota(numbers.begin(), numbers.end(), 1);
	long parts[2] = {};
	std::thread low(sum, std::cref(numbers), 0, 32, std::ref(parts[0]));
	std::thread moved(std::move(low));
	std::thread high(sum, std::cref(numbers), 32, 64, std::ref(parts[1]));
	if (low.joinable() || !moved.joinable())
		return 1;
	moved.join();
	high.join();
	std::printf("sum %ld\n", parts[0] + parts[1]);

	static counter ready;
	for (int i = 0; i < 2; i++)
		std::thread([] { ready.done(); }).detach();
	std::unique_lock<std::mutex> hold(ready.lock);
	ready.changed.wait(hold, [] { return ready.left == 0; });

	std::vector<std::thread::id> ids{ std::this_thread::get_id() };
	std::mutex guard;
	std::vector<std::thread> many;
	for (int i = 0; i < 3; i++)
		many.emplace_back([&] {
			std::lock_guard<std::mutex> one(guard);
			ids.push_back(std::this_thread::get_id());
		});
	for (auto &t : many)
		t.join();
	std::sort(ids.begin(), ids.end());
	std::printf("ids %ld\n", long(std::unique(ids.begin(), ids.end()) - ids.begin()));
	return 0;
}
