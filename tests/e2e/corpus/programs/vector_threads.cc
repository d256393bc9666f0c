/* SPDX-License-Identifier: Apache-2.0 */
// Threads in a vector add to a sum.  Wrong: without a lock.
#include <mutex>
#include <thread>
#include <vector>

static std::mutex lock;
static int sum;

int main()
{
	std::vector<std::thread> threads;
	for (int i = 0; i < 2; i++)
		threads.emplace_back([i] {
#ifndef WRONG
			std::lock_guard<std::mutex> guard(lock);
#endif
			sum += i + 1;
		});
	for (auto &thread : threads)
		thread.join();
	return sum == 3 ? 0 : 1;
}
