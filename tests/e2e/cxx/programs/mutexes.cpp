// Every kind of mutex, with lock, try_lock, timed forms, std::lock and scoped_lock.
#include <chrono>
#include <cstdio>
#include <mutex>
#include <shared_mutex>
#include <thread>
#include <vector>

using namespace std::chrono_literals;

template <class Mutex> struct counted {
	Mutex lock;
	int value = 0;
	void add()
	{
		std::lock_guard<Mutex> hold(lock);
		value++;
	}
};

static counted<std::mutex> plain;
static counted<std::recursive_mutex> again;
static counted<std::timed_mutex> timed;
static counted<std::recursive_timed_mutex> timed_again;
static counted<std::shared_mutex> shared;
static counted<std::shared_timed_mutex> shared_timed;
static std::mutex first, second;
static int pairs;

static void work(bool is_odd)
{
	for (int i = 0; i < 2; i++) {
		plain.add();
		{
			std::lock_guard<std::recursive_mutex> outer(again.lock);
			again.add();
		}
		if (timed.lock.try_lock_for(1h)) {
			timed.value++;
			timed.lock.unlock();
		}
		timed_again.add();
		shared.add();
		{
			std::shared_lock<std::shared_mutex> reading(shared.lock);
			if (shared.value < 1)
				std::puts("a reader sees nothing");
		}
		if (shared_timed.lock.try_lock_until(std::chrono::steady_clock::now() + 1h)) {
			shared_timed.value++;
			shared_timed.lock.unlock();
		}
		if (is_odd) {
			std::scoped_lock both(first, second);
			pairs++;
		} else {
			std::lock(second, first);
			pairs++;
			second.unlock();
			first.unlock();
		}
	}
}

int main()
{
	std::thread a(work, true), b(work, false);
	a.join();
	b.join();
	plain.lock.lock();
	bool taken = true;
	std::thread([&] { taken = plain.lock.try_lock(); }).join();
	plain.lock.unlock();
	timed.lock.lock();
	bool in_time = true;
	std::thread([&] { in_time = timed.lock.try_lock_for(1ms); }).join();
	timed.lock.unlock();
	std::printf("%d %d %d %d %d %d %d, try %d, timed %d\n", plain.value, again.value, timed.value,
		    timed_again.value, shared.value, shared_timed.value, pairs, taken, in_time);
	return 0;
}
