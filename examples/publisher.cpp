/* SPDX-License-Identifier: Apache-2.0 */
// A publisher tells its subscribers about news.  The list is copied under the lock and the subscribers are called
// without it, so that they may subscribe and unsubscribe from within; every access to the list is locked.  But a
// subscriber that has unsubscribed, and is destroyed, may still be in the copy.
#include <algorithm>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

class subscriber {
public:
	void notify(int news)
	{
		for (int i = history - 1; i > 0; i--)
			past[i] = past[i - 1];
		past[0] = news;
	}

private:
	static const int history = 16;
	int past[history] = {};
};

class publisher {
public:
	void subscribe(subscriber *s)
	{
		std::lock_guard<std::mutex> hold(lock);
		list.push_back(s);
	}
	void unsubscribe(subscriber *s)
	{
		std::lock_guard<std::mutex> hold(lock);
		list.erase(std::remove(list.begin(), list.end(), s), list.end());
	}
	void publish(int news)
	{
		std::vector<subscriber *> copy;
		{
			std::lock_guard<std::mutex> hold(lock);
			copy = list;
		}
		for (subscriber *s : copy)
			s->notify(news);
	}

private:
	std::mutex lock;
	std::vector<subscriber *> list;
};

int main()
{
	publisher weather;
	subscriber log, statistics, alarm;
	auto display = std::make_unique<subscriber>();
	for (subscriber *s : { &log, &statistics, &alarm, display.get() })
		weather.subscribe(s);
	std::thread station([&weather] {
		for (int degrees = 10; degrees < 13; degrees++)
			weather.publish(degrees);
	});
	weather.unsubscribe(display.get());
	display.reset();
	station.join();
	return 0;
}
