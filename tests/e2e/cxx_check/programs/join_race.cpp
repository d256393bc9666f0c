// One thread joins while another one asks whether it is to be joined: the handle is not protected.
// FINDS race
#include <memory>
#include <thread>

static std::unique_ptr<std::thread> worker;

int main()
{
	worker = std::make_unique<std::thread>([] {});
	std::thread other([] { (void)(worker->get_id() == std::thread::id()); });
	worker->join();
	other.join();
}
