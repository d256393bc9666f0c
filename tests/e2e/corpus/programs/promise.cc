/* SPDX-License-Identifier: Apache-2.0 */
// A promise says that a table is filled.  Wrong: it is kept before the last entry is written.
#include <future>
#include <thread>

static int table[2];

int main()
{
	std::promise<int> promise;
	std::future<int> future = promise.get_future();
	std::thread filler([&promise] {
		table[0] = 1;
#ifdef WRONG
		promise.set_value(2);
		table[1] = 2;
#else
		table[1] = 2;
		promise.set_value(2);
#endif
	});
	int entries = future.get(), sum = 0;
	for (int i = 0; i < entries; i++)
		sum += table[i];
	filler.join();
	return sum == 3 ? 0 : 1;
}
