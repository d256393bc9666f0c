// SPDX-License-Identifier: Apache-2.0
#include "pairs.h"

#include <mutex>
#include <thread>
#include <vector>

int count_in_threads(int threads)
{
	std::mutex lock;
	std::vector<std::thread> all;
	int count = 0;
	for (int i = 0; i < threads; i++)
		all.emplace_back([&] {
			std::lock_guard<std::mutex> guard(lock);
			count++;
		});
	for (auto &t : all)
		t.join();
	return count;
}
