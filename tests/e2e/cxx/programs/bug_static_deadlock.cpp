// Two static local variables whose initialisers need each other, entered from both ends.
// FINDS deadlock
#include <atomic>
#include <thread>

/* Threads begin together: creating one takes longer than all that it does. */
static std::atomic<int> at_start{ 0 };
static void start_together()
{
	at_start++;
	while (at_start < 2)
		std::this_thread::yield();
}

static int second(bool is_first);

static int first(bool is_second)
{
	static int value = is_second ? 1 : second(true) + 1;
	return value;
}

static int second(bool is_first)
{
	static int value = is_first ? 2 : first(true) + 1;
	return value;
}

int main()
{
	static int results[2];
	std::thread a([] { start_together(); results[0] = first(false); });
	std::thread b([] { start_together(); results[1] = second(false); });
	a.join();
	b.join();
	return results[0] && results[1] ? 0 : 1;
}
