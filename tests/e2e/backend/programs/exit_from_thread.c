// EXPECT record: status 0
/* A thread other than main ends the process, with handlers, while main and another one wait. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t never = PTHREAD_COND_INITIALIZER;

static void at_exit(void)
{
	puts("handler");
}

static void *wait_for_ever(void *unused)
{
	(void)unused;
	pthread_mutex_lock(&lock);
	for (;;)
		pthread_cond_wait(&never, &lock);
}

static void *leave(void *unused)
{
	(void)unused;
	exit(9);
}

int main(void)
{
	pthread_t a, b;
	atexit(at_exit);
	pthread_create(&a, NULL, wait_for_ever, NULL);
	pthread_create(&b, NULL, leave, NULL);
	pthread_join(a, NULL);
	return 1;
}
