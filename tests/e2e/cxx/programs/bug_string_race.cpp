// Two threads append to one std::string; one of them goes on with the block that the other has replaced.
// FINDS use-after-free|double-free
#include <atomic>
#include <string>
#include <thread>

/* Threads begin together: creating one takes longer than all that it does. */
static std::atomic<int> at_start{ 0 };
static void start_together()
{
	at_start++;
	while (at_start < 2)
		std::this_thread::yield();
}

static std::string log_text = "a log that has already outgrown the string itself";

int main()
{
	auto add = [] {
		start_together();
		for (int i = 0; i < 3; i++)
			log_text += " and another entry of some length";
	};
	std::thread a(add), b(add);
	a.join();
	b.join();
	return 0;
}
