// An exception leaves a thread, if the consumer looks before the producer has delivered.
// FINDS exception: an exception of type shop::sold_out is not caught: nothing left of socks
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>

namespace shop {
struct sold_out : std::runtime_error {
	explicit sold_out(const std::string &what) : std::runtime_error("nothing left of " + what) {}
};

template <class T> class shelf {
public:
	void put()
	{
		std::lock_guard<std::mutex> hold(lock);
		count++;
	}
	void take()
	{
		std::lock_guard<std::mutex> hold(lock);
		if (!count)
			throw sold_out("socks");	// PLACE
		count--;
	}

private:
	std::mutex lock;
	T count = 0;
};
}

static shop::shelf<int> socks;

int main()
{
	std::thread producer([] { socks.put(); });
	std::thread consumer([] { socks.take(); });
	producer.join();
	consumer.join();
	return 0;
}
