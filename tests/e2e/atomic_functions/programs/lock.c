/* A lock made of two atomic functions, one of which waits by an assumption.  OUTCOMES 2 */
#include <pthread.h>
#include <stdio.h>

extern void __VERIFIER_assume(int);
extern void __VERIFIER_error(void);
static int held, inside, last;

static void __VERIFIER_atomic_take(void)
{
	__VERIFIER_assume(!held);
	held = 1;
}

static inline void __VERIFIER_atomic_give(void)
{
	held = 0;
}

static void *work(void *number)
{
	__VERIFIER_atomic_take();
	if (inside++)
		__VERIFIER_error();
	last = (int)(long)number;
	inside--;
	__VERIFIER_atomic_give();
	return NULL;
}

int main(void)
{
	pthread_t t;
	pthread_create(&t, NULL, work, (void *)1l);
	work((void *)2l);
	pthread_join(t, NULL);
	printf("%d\n", last);
	return 0;
}
