// latch, barrier, counting_semaphore, atomic wait and notify, atomic_flag: raw futexes.
// STD c++20
#include <atomic>
#include <barrier>
#include <chrono>
#include <cstdio>
#include <latch>
#include <semaphore>
#include <thread>
#include <vector>

using namespace std::chrono_literals;

int main()
{
	std::latch start(3);
	std::atomic<int> passed{ 0 };
	int rounds = 0;
	std::barrier meet(2, [&]() noexcept { rounds++; });
	auto work = [&] {
		start.arrive_and_wait();
		passed++;
		meet.arrive_and_wait();
		meet.arrive_and_wait();
	};
	std::thread a(work), b(work);
	start.count_down();
	start.wait();
	a.join();
	b.join();
	std::printf("passed %d, rounds %d\n", passed.load(), rounds);

	std::counting_semaphore<4> tokens(2);
	std::atomic<int> inside{ 0 }, most{ 0 };
	auto enter = [&] {
		tokens.acquire();
		int now = ++inside, seen = most;
		while (now > seen && !most.compare_exchange_weak(seen, now))
			;
		--inside;
		tokens.release();
	};
	std::vector<std::thread> many;
	for (int i = 0; i < 4; i++)
		many.emplace_back(enter);
	for (auto &t : many)
		t.join();
	std::binary_semaphore none(0);
	std::printf("at most %s, timed %d\n", most <= 2 ? "two" : "more", none.try_acquire_for(1ms));

	std::atomic<int> stage{ 0 };
	std::atomic_flag flag;
	std::atomic<long> wide{ 0 };
	std::thread follower([&] {
		stage.wait(0);
		flag.wait(false);
		wide.wait(0);
		stage = 2;
		stage.notify_all();
	});
	stage = 1;
	stage.notify_one();
	flag.test_and_set();
	flag.notify_one();
	wide = 5;
	wide.notify_all();
	stage.wait(1);
	follower.join();
	std::printf("stage %d\n", stage.load());
	return 0;
}
