// std::jthread joins by itself; stop tokens, stop callbacks, condition_variable_any with a token.
// STD c++20
#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <stop_token>
#include <thread>

int main()
{
	int loops = 0, called = 0;
	std::mutex lock;
	std::condition_variable_any wake;
	bool was_stopped = false;
	{
		std::jthread spinner([&](std::stop_token stop) {
			while (!stop.stop_requested()) {
				loops++;
				std::this_thread::yield();
			}
		});
		std::jthread waiter([&](std::stop_token stop) {
			std::unique_lock<std::mutex> hold(lock);
			was_stopped = !wake.wait(hold, stop, [] { return false; });
		});
		std::stop_callback callback(spinner.get_stop_token(), [&] { called++; });
		spinner.request_stop();
	}
	std::printf("%s, callback %d, waiter %s\n", loops >= 0 ? "joined" : "?", called,
		    was_stopped ? "stopped" : "not stopped");
	return 0;
}
