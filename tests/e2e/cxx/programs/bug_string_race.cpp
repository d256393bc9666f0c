// Two threads append to one std::string; one of them goes on with the block that the other has replaced.
// FINDS use-after-free
#include <string>
#include <thread>

static std::string log_text = "a log that has already outgrown the string itself";

int main()
{
	auto add = [] {
		for (int i = 0; i < 3; i++)
			log_text += " and another entry of some length";
	};
	std::thread a(add), b(add);
	a.join();
	b.join();
	return 0;
}
