// Two std::mutex taken in an order that depends on data: transfers between accounts in both directions.
// FINDS deadlock
#include <mutex>
#include <thread>

struct account {
	std::mutex lock;
	long balance = 100;
};

static void transfer(account &from, account &to, long amount)
{
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
