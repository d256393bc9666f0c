// expect: race:observed
// A virtual call, and the destructor of the derived class sets the table of its base, in no order.
// TSAN: data race on vptr (ctor/dtor vs virtual call)
// SHOWS: virtual table
#include <atomic>
#include <new>
#include <pthread.h>
/* Orders nothing. */
static std::atomic<bool> is_used;
struct base {
	virtual void use() {}
	virtual ~base() { asm volatile("" : : "r"(this) : "memory"); }
};
struct derived : base {
	void use() override {}
};
static void *destroy(void *object)
{
	while (!is_used.load(std::memory_order_relaxed))
		;
	static_cast<base *>(object)->~base();
	return nullptr;
}
int main()
{
	pthread_t t;
	alignas(derived) static char room[sizeof(derived)];
	base *volatile hidden = new (room) derived;
	base *object = hidden;
	pthread_create(&t, nullptr, destroy, object);
	object->use();
	is_used.store(true, std::memory_order_relaxed);
	pthread_join(t, nullptr);
}
