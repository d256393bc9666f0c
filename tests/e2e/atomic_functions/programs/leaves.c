/* A thread that ends inside an atomic function ends the step.  OUTCOMES 2 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

static atomic_int last;

static void __VERIFIER_atomic_leave(void)
{
	atomic_store(&last, 1);
	pthread_exit(NULL);
}

static void *leaver(void *unused)
{
	__VERIFIER_atomic_leave();
	return unused;
}

static void *other(void *unused)
{
	int before = atomic_load(&last);
	atomic_store(&last, before + 2);
	return unused;
}

int main(void)
{
	pthread_t a, b;
	pthread_create(&a, NULL, leaver, NULL);
	pthread_join(a, NULL);
	pthread_create(&a, NULL, other, NULL);
	pthread_create(&b, NULL, other, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	printf("%d\n", atomic_load(&last));
	return 0;
}
