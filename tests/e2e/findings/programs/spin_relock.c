// A spin lock is asked for by its holder.
// EXPECT record: status 1, kind deadlock
// LEVELS -O0: what is called does not depend on the level
#include <pthread.h>

static pthread_spinlock_t lock;
static int count;

static void add(void)
{
	pthread_spin_lock(&lock);	// PLACE
	count++;
	pthread_spin_unlock(&lock);
}

int main(void)
{
	pthread_spin_init(&lock, PTHREAD_PROCESS_PRIVATE);
	pthread_spin_lock(&lock);	// PLACE
	add();
	return 0;
}
