// expect: use-after-free:observed
// The last std::shared_ptr is dropped by another thread while a plain pointer to the object is still used.
// SHOWS: frees heap
// SHOWS: drop() .*deleted.cpp
// SHOWS: allocated its
#include <memory>
#include <pthread.h>
#include <semaphore.h>
static sem_t dropped;
struct item {
	int price = 1;
	virtual ~item() {}
};
static std::shared_ptr<item> shelf;
static void drop()
{
	shelf.reset();
}
static void *work(void *)
{
	drop();
	sem_post(&dropped);
	return nullptr;
}
int main()
{
	pthread_t t;
	sem_init(&dropped, 0, 0);
	shelf = std::make_shared<item>();
	item *seen = shelf.get();
	pthread_create(&t, nullptr, work, nullptr);
	sem_wait(&dropped);
	int price = seen->price;
	pthread_join(t, nullptr);
	return price > 100;
}
