/* SPDX-License-Identifier: Apache-2.0 */
// An operation throws under a lock.  Wrong: the lock is not released on the way out.
#include <mutex>
#include <stdexcept>
#include <thread>

static std::mutex lock;
static int calls;

static void work(bool fail)
{
#ifdef WRONG
	lock.lock();
#else
	std::lock_guard<std::mutex> guard(lock);
#endif
	calls++;
	if (fail)
		throw std::runtime_error("failed");
#ifdef WRONG
	lock.unlock();
#endif
}

static void attempt(bool fail)
{
	try {
		work(fail);
	} catch (const std::runtime_error &) {
	}
}

int main()
{
	std::thread other([] { attempt(true); });
	attempt(false);
	other.join();
	return 0;
}
