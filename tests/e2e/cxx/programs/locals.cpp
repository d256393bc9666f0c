// thread_local variables with constructors and destructors, one life for each thread.
#include <atomic>
#include <cstdio>
#include <string>
#include <thread>

static std::atomic<int> made{ 0 }, gone{ 0 };

struct log_buffer {
	std::string text = "begin";
	log_buffer() { made++; }
	~log_buffer() { gone++; }
};

static thread_local log_buffer buffer;
static thread_local int plain = 3;

static void work(int n)
{
	for (int i = 0; i < n; i++)
		buffer.text += ", and one more entry";
	plain += n;
	static thread_local std::string second(buffer.text, 0, 5);
	if (second != "begin" || plain != 3 + n)
		std::puts("another thread's variables");
}

int main()
{
	work(1);
	std::thread a(work, 2), b(work, 3);
	a.join();
	b.join();
	std::printf("made %d, gone %d\n", made.load(), gone.load());
	return 0;
}
