// A pointer is published after the flag that announces it.
// EXPECT record: status 1, kind crash
#include <pthread.h>
#include <stddef.h>

static int value = 7, announced;
static int *volatile pointer;

static void *use(void *unused)
{
	if (announced)
		value += *pointer;	// PLACE
	return unused;
}

int main(void)
{
	pthread_t t;
	pthread_create(&t, NULL, use, NULL);
	announced = 1;
	pointer = &value;
	pthread_join(t, NULL);
	return 0;
}
