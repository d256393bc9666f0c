/* A jump out of an atomic function, nested in another one or not, ends its step.  OUTCOMES 4 */
#include <pthread.h>
#include <setjmp.h>
#include <stdatomic.h>
#include <stdio.h>

static atomic_int shared;
static jmp_buf way;
static int inner_result;

static void __VERIFIER_atomic_jump(int value)
{
	inner_result = value;
	longjmp(way, 1);
}

static void __VERIFIER_atomic_outer(void)
{
	if (!setjmp(way))
		__VERIFIER_atomic_jump(1);
}

static void add_twice(int by)
{
	int seen = atomic_load(&shared);
	atomic_store(&shared, seen + by);
}

static void *jumper(void *unused)
{
	if (!setjmp(way))
		__VERIFIER_atomic_jump(0);
	__VERIFIER_atomic_outer();
	add_twice(1);
	add_twice(1);
	return unused;
}

static void *other(void *unused)
{
	add_twice(10);
	return unused;
}

int main(void)
{
	pthread_t a, b;
	pthread_create(&a, NULL, jumper, NULL);
	pthread_create(&b, NULL, other, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	printf("%d %d\n", atomic_load(&shared), inner_result);
	return 0;
}
