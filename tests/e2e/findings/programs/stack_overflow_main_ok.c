// A deep recursion that ends on the stack of the main thread.
// EXPECT record: status 0
#include <pthread.h>

static volatile int depth;

static int descend(int n)
{
	volatile char room[512];
	room[n % 512] = (char)n;
	depth = n;
	return (n < 200 ? descend(n + 1) : 0) + room[n % 512];
}

static void *work(void *unused)
{
	depth = descend(1);
	return unused;
}

int main(void)
{
	work(NULL);
	return 0;
}
