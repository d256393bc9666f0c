// iostreams: output of several threads in order under a lock, string streams, formatting, cerr, files.
#include <fstream>
#include <iomanip>
#include <iostream>
#include <mutex>
#include <sstream>
#include <string>
#include <thread>

static std::mutex lock;
static int turn;

static void say(int me)
{
	for (;; std::this_thread::yield()) {
		std::lock_guard<std::mutex> hold(lock);
		if (turn != me)
			continue;
		std::cout << "thread " << me << ": " << std::setw(6) << std::setprecision(3) << 1.5 * me << '\n';
		turn++;
		return;
	}
}

int main()
{
	std::cout << "start" << std::endl;
	std::thread a(say, 0), b(say, 1), c(say, 2);
	a.join();
	b.join();
	c.join();
	std::ostringstream out;
	out << std::hex << 255 << ' ' << std::boolalpha << true;
	std::istringstream in("17 words and a rest");
	int n;
	std::string word, rest;
	in >> n >> word;
	std::getline(in, rest);
	std::cout << out.str() << '|' << n << '|' << word << '|' << rest << std::endl;
	std::ofstream nowhere("/dev/null");
	nowhere << "gone" << std::endl;
	std::ifstream none("/no/such/file");
	std::cout << nowhere.good() << none.good() << std::endl;
	return 0;
}
