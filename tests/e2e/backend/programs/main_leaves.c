// EXPECT record: status 0
/* The main thread ends first; the last of the others ends the process. */
#include <pthread.h>
#include <stdio.h>

static pthread_t main_thread;
static int value;

static void *late(void *unused)
{
	(void)unused;
	void *result;
	pthread_join(main_thread, &result);
	value++;
	printf("%d %ld\n", value, (long)result);
	return NULL;
}

int main(void)
{
	pthread_t t;
	main_thread = pthread_self();
	pthread_create(&t, NULL, late, NULL);
	value = 5;
	pthread_exit((void *)3);
}
