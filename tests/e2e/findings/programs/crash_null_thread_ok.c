// Pointer first, then the flag (accesses are in order here: only the compiler could change that).
// EXPECT record: status 0
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static int value = 7;
static atomic_int announced;
static int *pointer;

static void *use(void *unused)
{
	if (announced)
		value += *pointer;
	return unused;
}

int main(void)
{
	pthread_t t;
	pthread_create(&t, NULL, use, NULL);
	pointer = &value;
	announced = 1;
	pthread_join(t, NULL);
	return 0;
}
