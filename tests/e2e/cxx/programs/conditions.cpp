// condition_variable and condition_variable_any: a bounded queue, notify_all, timed waits.
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <deque>
#include <mutex>
#include <string>
#include <thread>

using namespace std::chrono_literals;

template <class T> class queue {
public:
	void put(T item)
	{
		std::unique_lock<std::mutex> hold(lock);
		room.wait(hold, [this] { return items.size() < 2; });
		items.push_back(std::move(item));
		filled.notify_one();
	}
	T take()
	{
		std::unique_lock<std::mutex> hold(lock);
		filled.wait(hold, [this] { return !items.empty(); });
		T item = std::move(items.front());
		items.pop_front();
		room.notify_one();
		return item;
	}

private:
	std::mutex lock;
	std::condition_variable filled, room;
	std::deque<T> items;
};

int main()
{
	queue<std::string> q;
	std::string all;
	std::thread producer([&] {
		for (int i = 0; i < 5; i++)
			q.put("item number " + std::to_string(i) + ", too long for a small string; ");
	});
	for (int i = 0; i < 5; i++)
		all += q.take();
	producer.join();
	std::printf("%s\n", all.c_str());

	std::recursive_mutex lock;
	std::condition_variable_any go;
	bool is_open = false;
	int passed = 0;
	auto pass = [&] {
		std::unique_lock<std::recursive_mutex> hold(lock);
		go.wait(hold, [&] { return is_open; });
		passed++;
	};
	std::thread a(pass), b(pass);
	{
		std::lock_guard<std::recursive_mutex> hold(lock);
		is_open = true;
		go.notify_all();
	}
	a.join();
	b.join();

	std::mutex own;
	std::condition_variable never;
	std::unique_lock<std::mutex> hold(own);
	bool for_nothing = never.wait_for(hold, 1ms, [] { return false; });
	auto until = never.wait_until(hold, std::chrono::system_clock::now() + 1ms);
	std::printf("passed %d, %d, %s\n", passed, for_nothing,
		    until == std::cv_status::timeout ? "timeout" : "woken");
	return 0;
}
