// A shared_ptr variable is assigned by one thread while another copies it, without atomic operations.
// FINDS use-after-free
#include <memory>
#include <thread>

struct config {
	int version;
};
static std::shared_ptr<config> current = std::make_shared<config>(config{ 1 });

int main()
{
	int seen = 0;
	std::thread reader([&] {
		std::shared_ptr<config> mine = current;
		seen = mine->version;
	});
	current = std::make_shared<config>(config{ 2 });
	reader.join();
	return seen > 0 ? 0 : 1;
}
