// expect: use-after-free:observed
// A virtual call of an object that another thread has deleted, which it waits for in no way that orders.
// TSAN: heap-use-after-free (virtual call vs free)
#include <atomic>
#include <pthread.h>
#include <sched.h>
/* Orders nothing. */
static std::atomic<bool> is_deleted;
struct thing {
	virtual void use() {}
	virtual ~thing() {}
};
/* The allocator overwrites the begin of what is freed. */
struct block {
	long room[4];
	thing object;
};
static block *volatile shared_block;
static thing *volatile shared;
static void *destroy(void *)
{
	delete shared_block;
	is_deleted.store(true, std::memory_order_relaxed);
	return nullptr;
}
int main()
{
	pthread_t t;
	shared_block = new block;
	shared = &shared_block->object;
	pthread_create(&t, nullptr, destroy, nullptr);
	while (!is_deleted.load(std::memory_order_relaxed))
		sched_yield();
	shared->use();
	pthread_join(t, nullptr);
}
