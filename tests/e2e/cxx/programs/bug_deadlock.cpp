// Two std::mutex taken in an order that depends on data: transfers between accounts in both directions.
// FINDS deadlock
#include <atomic>
#include <mutex>
#include <thread>

/* Threads begin together: creating one takes longer than all that it does. */
static std::atomic<int> at_start{ 0 };
static void start_together()
{
	at_start++;
	while (at_start < 2)
		std::this_thread::yield();
}

struct account {
	std::mutex lock;
	long balance = 100;
};

static void transfer(account &from, account &to, long amount)
{
	start_together();
	std::lock_guard<std::mutex> first(from.lock);
	std::lock_guard<std::mutex> second(to.lock);
	from.balance -= amount;
	to.balance += amount;
}

static account accounts[3];

int main()
{
	std::thread a(transfer, std::ref(accounts[0]), std::ref(accounts[1]), 5);
	std::thread b(transfer, std::ref(accounts[1]), std::ref(accounts[0]), 7);
	a.join();
	b.join();
	return accounts[0].balance == 102 ? 0 : 1;
}
