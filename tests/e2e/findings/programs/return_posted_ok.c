// A request on the stack of ask() is passed to another thread, as in return_posted.c.  Here ask() takes it back, or waits until
// the other thread has answered, before it returns: nothing is used after the return.
// EXPECT record: status 0
#include <pthread.h>
#include <stdatomic.h>

struct request { atomic_int done; int value; };
static _Atomic(struct request *) posted;
static int served;

static void *serve(void *unused)
{
	struct request *r = atomic_exchange(&posted, NULL);
	if (r) {
		served = 1;
		atomic_store(&r->done, 1);
	}
	return unused;
}

static __attribute__((noinline)) void ask(int value)
{
	struct request r = { .value = value };
	atomic_store(&posted, &r);
	if (!atomic_exchange(&posted, NULL))
		while (!atomic_load(&r.done))
			;
}

int main(void)
{
	pthread_t t;
	pthread_create(&t, NULL, serve, NULL);
	ask(3);
	pthread_join(t, NULL);
	return 0;
}
