// Destructors of thread_local objects and of frames, when threads return, exit, are cancelled, or throw through locks.
#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <pthread.h>
#include <stdexcept>
#include <thread>
#include <unistd.h>
#include <vector>

static std::mutex output;
static std::vector<int> events;

struct Noted {
	int number;
	explicit Noted(int n) : number(n) {}
	~Noted() { std::lock_guard<std::mutex> l(output); events.push_back(number); }
};

static thread_local Noted first(1);
static thread_local Noted second(2);

static void print(const char *what)
{
	std::printf("%s:", what);
	for (int n : events)
		std::printf(" %d", n);
	std::printf("\n");
	events.clear();
}

static void touch() { (void)first.number; (void)second.number; first.number = 1; second.number = 2; }

static void *returns(void *) { touch(); Noted frame(3); return nullptr; }

static void inner(int how)
{
	Noted frame(4);
	if (how)
		pthread_exit((void *)7);
	for (;;)
		usleep(10);
}

static void *exits(void *) { touch(); Noted frame(3); inner(1); return nullptr; }
static void *waits(void *) { touch(); Noted frame(3); inner(0); return nullptr; }

static std::mutex shared;
static int value;

static void throws_with_lock(int i)
{
	std::lock_guard<std::mutex> l(shared);
	value++;
	if (i % 2)
		throw std::runtime_error("odd");
}

static void thrower(int *caught)
{
	for (int i = 0; i < 20; i++) {
		try {
			throws_with_lock(i);
		} catch (const std::exception &) {
			++*caught;
		}
	}
}

static std::once_flag once;
static int tries;

static void sometimes()
{
	if (++tries < 3)
		throw tries;
}

int main()
{
	pthread_t t;
	void *result;
	pthread_create(&t, nullptr, returns, nullptr);
	pthread_join(t, nullptr);
	print("return");
	pthread_create(&t, nullptr, exits, nullptr);
	pthread_join(t, &result);
	print("exit");
	pthread_create(&t, nullptr, waits, nullptr);
	usleep(1000);
	pthread_cancel(t);
	pthread_join(t, &result);
	std::printf("%d\n", result == PTHREAD_CANCELED);
	events.clear();		/* it may have been cancelled anywhere */
	int caught[3] = { 0, 0, 0 };
	std::vector<std::thread> threads;
	for (int &c : caught)
		threads.emplace_back(thrower, &c);
	for (std::thread &x : threads)
		x.join();
	std::printf("%d %d %d %d\n", caught[0], caught[1], caught[2], value);
	for (int i = 0; i < 4; i++) {
		try {
			std::call_once(once, sometimes);
			std::printf("done ");
		} catch (int n) {
			std::printf("threw %d ", n);
		}
	}
	std::printf("\n");
	return 0;
}
