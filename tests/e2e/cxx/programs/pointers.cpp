// shared_ptr and weak_ptr counts between threads, atomic operations on shared_ptr, unique_ptr hand-over.
#include <atomic>
#include <cstdio>
#include <memory>
#include <string>
#include <thread>

struct item {
	static std::atomic<int> alive;
	std::string name;
	explicit item(std::string n) : name(std::move(n)) { alive++; }
	virtual ~item() { alive--; }
};
std::atomic<int> item::alive{ 0 };

struct special : item {
	using item::item;
};

int main()
{
	auto shared = std::make_shared<special>("a name that does not fit into the string itself");
	std::weak_ptr<item> watch = shared;
	std::shared_ptr<item> slot;
	std::thread a([mine = std::shared_ptr<item>(shared), &slot] { std::atomic_store(&slot, mine); });
	std::thread b([&watch] {
		for (int i = 0; i < 2; i++)
			if (auto strong = watch.lock())
				if (strong->name.empty())
					std::puts("no name");
	});
	std::thread c([&slot] {
		auto seen = std::atomic_load(&slot);
		if (seen && seen->name.size() < 10)
			std::puts("another item");
	});
	a.join();
	b.join();
	c.join();
	slot.reset();
	shared.reset();
	auto owned = std::make_unique<item>("owned");
	std::thread taker([mine = std::move(owned)]() mutable { mine.reset(); });
	taker.join();
	std::printf("alive %d, expired %d\n", item::alive.load(), watch.expired());
	return 0;
}
