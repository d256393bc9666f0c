/* SPDX-License-Identifier: Apache-2.0 */
// Threads share an object by reference counting.  Wrong: they assign to one pointer instead of copies of it.
#include <memory>
#include <thread>

static std::shared_ptr<int> shared;

int main()
{
	shared = std::make_shared<int>(7);
	std::thread other([copy = shared]() mutable {
#ifdef WRONG
		shared = nullptr;
#endif
		copy.reset();
	});
	std::shared_ptr<int> mine = shared;
	int seen = mine ? *mine : 7;
	other.join();
	return seen == 7 ? 0 : 1;
}
