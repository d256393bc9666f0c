// The same order in both threads.
// EXPECT record: status 0
#include <pthread.h>

static pthread_mutex_t a, b;
static int balance;

static void *forward(void *unused)
{
	(void)unused;
	pthread_mutex_lock(&a);
	pthread_mutex_lock(&b);
	balance++;
	pthread_mutex_unlock(&b);
	pthread_mutex_unlock(&a);
	return NULL;
}

int main(void)
{
	pthread_t t;
	pthread_create(&t, NULL, forward, NULL);
	pthread_mutex_lock(&a);
	pthread_mutex_lock(&b);
	balance--;
	pthread_mutex_unlock(&b);
	pthread_mutex_unlock(&a);
	pthread_join(t, NULL);
	return 0;
}
