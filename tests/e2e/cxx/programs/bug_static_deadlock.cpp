// Two static local variables whose initialisers need each other, entered from both ends.
// FINDS deadlock
#include <thread>

static int second(bool is_first);

static int first(bool is_second)
{
	static int value = is_second ? 1 : second(true) + 1;
	return value;
}

static int second(bool is_first)
{
	static int value = is_first ? 2 : first(true) + 1;
	return value;
}

int main()
{
	static int results[2];
	std::thread a([] { results[0] = first(false); });
	std::thread b([] { results[1] = second(false); });
	a.join();
	b.join();
	return results[0] && results[1] ? 0 : 1;
}
