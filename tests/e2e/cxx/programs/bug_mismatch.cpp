// A block of new[] is released by delete.
// FINDS invalid-free: a block that was allocated by new[] is released by delete
#include <thread>

int main()
{
	int *numbers = new int[4]();
	std::thread([=] { delete numbers; }).join();
	return 0;
}
