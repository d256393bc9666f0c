// expect:
// A completion on the stack of the waiting thread, again and again at the same address.
#include "turns.h"
struct completion { pthread_mutex_t m; pthread_cond_t c; int is_done; };
MUTEX(m);
static pthread_cond_t more = PTHREAD_COND_INITIALIZER;
static struct completion *job;
static int is_over;
static void *server(void *a)
{
	for (;;) {
		LOCK(m);
		while (!job && !is_over)
			pthread_cond_wait(&more, &m);
		struct completion *c = job;
		job = NULL;
		int over = is_over;
		UNLOCK(m);
		if (over)
			return a;
		pthread_mutex_lock(&c->m);
		c->is_done = 1;
		pthread_cond_signal(&c->c);
		pthread_mutex_unlock(&c->m);
	}
}
static void ask(void)
{
	struct completion c = { .is_done = 0 };
	pthread_mutex_init(&c.m, NULL);
	pthread_cond_init(&c.c, NULL);
	LOCK(m);
	job = &c;
	pthread_cond_signal(&more);
	UNLOCK(m);
	pthread_mutex_lock(&c.m);
	while (!c.is_done)
		pthread_cond_wait(&c.c, &c.m);
	pthread_mutex_unlock(&c.m);
	pthread_cond_destroy(&c.c);
	pthread_mutex_destroy(&c.m);
}
int main(void)
{
	pthread_t t;
	pthread_create(&t, NULL, server, NULL);
	for (int i = 0; i < 300; i++)
		ask();
	LOCK(m);
	is_over = 1;
	pthread_cond_signal(&more);
	UNLOCK(m);
	pthread_join(t, NULL);
	return 0;
}
