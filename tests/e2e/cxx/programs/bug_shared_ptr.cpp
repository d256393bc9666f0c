// A shared_ptr variable is assigned by one thread while another copies it, without atomic operations.
// FINDS use-after-free
#include <atomic>
#include <memory>
#include <thread>

/* Threads begin together: creating one takes longer than all that it does. */
static std::atomic<int> at_start{ 0 };
static void start_together()
{
	at_start++;
	while (at_start < 2)
		std::this_thread::yield();
}

struct config {
	int version;
};
static std::shared_ptr<config> current = std::make_shared<config>(config{ 1 });

int main()
{
	int seen = 0;
	std::thread reader([&] {
		start_together();
		for (int i = 0; i < 8; i++) {
			std::shared_ptr<config> mine = current;
			seen = mine->version;
		}
	});
	start_together();
	for (int i = 2; i < 10; i++)
		current = std::make_shared<config>(config{ i });
	reader.join();
	return seen > 0 ? 0 : 1;
}
