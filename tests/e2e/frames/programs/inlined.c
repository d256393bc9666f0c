/* Small functions that are inlined, two of them equal. */
#include <pthread.h>

struct account {
	int amount;
};
static struct account shared;

static inline void add(struct account *a, int by)
{
	a->amount += by;	/* FIRST add */
}

static inline void twice(struct account *a)
{
	add(a, 2);		/* CALLED twice */
}

static void *payer(void *unused)
{
	twice(&shared);		/* CALLED payer */
	return unused;
}

static void *saver(void *unused)
{
	twice(&shared);		/* CALLED saver */
	return unused;
}

int main(void)
{
	pthread_t p, q;
	pthread_create(&p, 0, payer, 0);
	pthread_create(&q, 0, saver, 0);
	pthread_join(p, 0);
	pthread_join(q, 0);
	return 0;
}
