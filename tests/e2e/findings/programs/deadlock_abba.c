// Two threads take two locks in opposite order.
// EXPECT record: status 1, kind deadlock
#include <pthread.h>

static pthread_mutex_t a, b;	// zero-initialised: as good as PTHREAD_MUTEX_INITIALIZER
static int balance;

static void *forward(void *unused)
{
	(void)unused;
	pthread_mutex_lock(&a);
	pthread_mutex_lock(&b);	// PLACE
	balance++;
	pthread_mutex_unlock(&b);
	pthread_mutex_unlock(&a);
	return NULL;
}

int main(void)
{
	pthread_t t;
	pthread_create(&t, NULL, forward, NULL);
	pthread_mutex_lock(&b);
	pthread_mutex_lock(&a);	// PLACE
	balance--;
	pthread_mutex_unlock(&a);
	pthread_mutex_unlock(&b);
	pthread_join(t, NULL);
	return 0;
}
