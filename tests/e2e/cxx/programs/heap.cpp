// new and delete in all forms, and containers of every kind that threads hand to each other.
#include <array>
#include <cstdio>
#include <cstdlib>
#include <forward_list>
#include <list>
#include <map>
#include <new>
#include <set>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

struct alignas(64) line {
	char bytes[64];
};
struct base {
	virtual ~base() {}
	virtual int id() const { return 1; }
};
struct derived : base {
	std::string name = "a derived object with a name on the heap";
	int id() const override { return 2; }
};

int main()
{
	base *b = new derived;
	line *aligned = new line, *lines = new line[3];
	int *array = new int[4]{ 1, 2, 3, 4 };
	int *quiet = new (std::nothrow) int(5), *quiet_array = new (std::nothrow) int[2]{ 6, 7 };
	bool is_aligned = reinterpret_cast<size_t>(aligned) % 64 == 0 && reinterpret_cast<size_t>(lines) % 64 == 0;
	std::printf("%d %d %d %d %d\n", b->id(), is_aligned, array[3], *quiet, quiet_array[1]);
	std::thread([=] {
		delete b;
		delete aligned;
		delete[] lines;
		delete[] array;
		delete quiet;
		delete[] quiet_array;
	}).join();
	try {
		volatile size_t much = ~size_t(0) / 4;
		delete[] new char[much];
	} catch (const std::bad_alloc &) {
		std::puts("bad_alloc");
	}
	void *raw = ::operator new(10);
	::operator delete(raw);
	std::free(std::malloc(3));

	std::map<std::string, int> map;
	std::multiset<int> set;
	std::list<int> list;
	std::forward_list<int> chain;
	std::unordered_map<std::string, std::vector<int>> table;
	std::thread fill([&] {
		for (int i = 0; i < 20; i++) {
			std::string key = "the key with the number " + std::to_string(i * 7 % 20);
			map[key] = i;
			set.insert(i % 5);
			list.push_back(i);
			chain.push_front(i);
			table[key].push_back(i);
		}
		map.erase(map.begin());
		set.erase(2);
		list.reverse();
		list.remove(4);
		list.sort();
	});
	fill.join();
	long sum = 0;
	for (auto &entry : map)
		sum += entry.second;
	for (int n : set)
		sum += n;
	for (int n : list)
		sum += n;
	for (int n : chain)
		sum += n;
	for (auto &entry : table)
		sum += entry.second[0];
	std::printf("%zu %zu %zu %zu, sum %ld\n", map.size(), set.size(), list.size(), table.size(), sum);
	return 0;
}
