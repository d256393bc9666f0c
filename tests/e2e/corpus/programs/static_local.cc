/* SPDX-License-Identifier: Apache-2.0 */
// A static local object is made once.  Wrong: by a pointer that is tested without a lock.
#include <memory>
#include <thread>

struct config {
	int level = 4;
};

static const config &get()
{
#ifdef WRONG
	static config *instance;
	if (!instance)
		instance = new config;
	return *instance;
#else
	static config instance;
	return instance;
#endif
}

int main()
{
	int seen = 0;
	std::thread other([&seen] { seen = get().level; });
	int mine = get().level;
	other.join();
	return mine == seen ? 0 : 1;
}
