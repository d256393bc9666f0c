// The owner lets go of a std::unique_ptr while a borrower still uses what it points to.
// FINDS use-after-free
#include <memory>
#include <string>
#include <thread>

struct session {
	std::string user = "somebody with a name longer than a small string";
	int requests = 0;
	void serve() { requests++; }
};

int main()
{
	auto current = std::make_unique<session>();
	std::thread worker([borrowed = current.get()] { borrowed->serve(); });
	current.reset();
	worker.join();
	return 0;
}
