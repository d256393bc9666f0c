// Three threads, three locks, each takes its own and then its neighbour's.
// EXPECT record: status 1, kind deadlock
#include <pthread.h>

static pthread_mutex_t fork_of[3];
static int meals;

static void *dine(void *seat)
{
	long left = (long)seat, right = (left + 1) % 3;
	for (int i = 0; i < 3; i++) {
		pthread_mutex_lock(&fork_of[left]);
		pthread_mutex_lock(&fork_of[right]);	// PLACE
		meals++;
		pthread_mutex_unlock(&fork_of[right]);
		pthread_mutex_unlock(&fork_of[left]);
	}
	return NULL;
}

int main(void)
{
	pthread_t t[3];
	for (long i = 0; i < 3; i++)
		pthread_create(&t[i], NULL, dine, (void *)i);
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], NULL);
	return 0;
}
