// The last philosopher reaches for the other fork first.
// EXPECT record: status 0
#include <pthread.h>

static pthread_mutex_t fork_of[3];
static int meals;

static void *dine(void *seat)
{
	long left = (long)seat, right = (left + 1) % 3;
	long first = left < right ? left : right, second = left < right ? right : left;
	for (int i = 0; i < 3; i++) {
		pthread_mutex_lock(&fork_of[first]);
		pthread_mutex_lock(&fork_of[second]);
		meals++;
		pthread_mutex_unlock(&fork_of[second]);
		pthread_mutex_unlock(&fork_of[first]);
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
