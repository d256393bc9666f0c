/* An atomic function with several ways out, and one that calls another.  OUTCOMES 3 */
#include <pthread.h>
#include <stdio.h>

static int low, high;

/* 0 if the two parts are not what one step can leave. */
int __VERIFIER_atomic_look(void)
{
	int first = low;
	if (first == 7)
		return -1;
	if (first > high)
		return 0;
	return high == first ? first + 1 : 0;
}

static void set(int value)
{
	low = value;
	high = value;
}

static void __VERIFIER_atomic_set(int value)
{
	set(value);
}

static void __VERIFIER_atomic_twice(void)
{
	__VERIFIER_atomic_set(5);
	low = 9;
	__VERIFIER_atomic_set(1);
}

static void *change(void *unused)
{
	__VERIFIER_atomic_twice();
	__VERIFIER_atomic_set(7);
	return unused;
}

int main(void)
{
	pthread_t t;
	pthread_create(&t, NULL, change, NULL);
	int seen = __VERIFIER_atomic_look();
	pthread_join(t, NULL);
	printf("%d\n", seen);
	return 0;
}
