// Deep recursion in several threads, and jumps back over all of it and out of callbacks.
#include <pthread.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>

static __thread jmp_buf out;
static __thread int jumps;

static long deep(int n)
{
	volatile long local = n;
	if (n == 0)
		return 0;
	return deep(n - 1) + local;
}

static void dive(int n)
{
	volatile char room[64];
	room[n % 64] = 1;
	if (n == 0)
		longjmp(out, 1);
	dive(n - 1);
	room[0] = 2;
}

static int compare(const void *a, const void *b)
{
	if (*(const int *)a == 3 || *(const int *)b == 3)
		longjmp(out, 1);
	return *(const int *)a - *(const int *)b;
}

static void *work(void *result)
{
	int v[] = { 5, 4, 3, 2, 1 };
	*(long *)result = deep(2000);
	for (volatile int i = 0; i < 20; i++) {
		if (!setjmp(out))
			dive(300);
		else
			jumps++;
	}
	if (!setjmp(out))
		qsort(v, 5, sizeof(*v), compare);
	else
		jumps++;
	return (void *)(long)jumps;
}

int main(void)
{
	pthread_t t[4];
	long sum[4];
	for (int i = 0; i < 4; i++)
		pthread_create(&t[i], NULL, work, &sum[i]);
	for (int i = 0; i < 4; i++) {
		void *n;
		pthread_join(t[i], &n);
		printf("%ld %ld\n", sum[i], (long)n);
	}
	return 0;
}
