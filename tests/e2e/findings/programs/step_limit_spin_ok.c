// The flag is set in the end.
// EXPECT record: status 0
// OPTIONS --steps 20000
#include <pthread.h>

static volatile int flag;

static void *work(void *unused)
{
	while (!flag)
		;
	return unused;
}

int main(void)
{
	pthread_t t;
	pthread_create(&t, NULL, work, NULL);
	flag = 1;
	pthread_join(t, NULL);
	return 0;
}
