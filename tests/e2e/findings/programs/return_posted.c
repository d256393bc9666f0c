// A request on the stack is posted through a global pointer; its owner does not wait for the answer when it is late.
// EXPECT record: status 1, kind use-after-return
#include <pthread.h>
#include <stdatomic.h>

struct request { atomic_int done; int value; };
static _Atomic(struct request *) posted;
static int served;

static void *serve(void *unused)
{
	struct request *r = atomic_load(&posted);
	if (r) {
		served = 1;
		atomic_store(&r->done, 1);	// PLACE
	}
	return unused;
}

static __attribute__((noinline)) void ask(int value)
{
	struct request r = { .value = value };	// PLACE-FUNCTION ask
	atomic_store(&posted, &r);
	if (!atomic_load(&r.done))
		atomic_store(&posted, NULL);
}

int main(void)
{
	pthread_t t;
	pthread_create(&t, NULL, serve, NULL);
	ask(3);
	pthread_join(t, NULL);
	return 0;
}
