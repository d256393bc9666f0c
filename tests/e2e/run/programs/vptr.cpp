// expect: race:observed
// A virtual call while the destructor of the derived class sets the table of its base.
// TSAN: data race on vptr (ctor/dtor vs virtual call)
// SHOWS: virtual table
#include <new>
#include <pthread.h>
#include <semaphore.h>
static sem_t over;
struct base {
	virtual void use() {}
	virtual ~base() { sem_wait(&over); }
};
struct derived : base {
	void use() override {}
};
static void *destroy(void *object)
{
	static_cast<base *>(object)->~base();
	return nullptr;
}
int main()
{
	pthread_t t;
	alignas(derived) static char room[sizeof(derived)];
	base *object = new (room) derived;
	sem_init(&over, 0, 0);
	pthread_create(&t, nullptr, destroy, object);
	object->use();
	sem_post(&over);
	pthread_join(t, nullptr);
}
