// expect:
// A lock of four bytes that is taken as a word and released by a store to its third byte; the first one counts
// which thread has had it.  What one store hands over another size of operation receives.
#include <sched.h>
#include <stdint.h>
#include "turns.h"
static union {
	uint32_t word;
	uint8_t byte[4];
} lock;
static long shared[2];
static void *work(void *a)
{
	for (int i = 0; i < 2000; i++) {
		uint32_t old = __atomic_load_n(&lock.word, __ATOMIC_RELAXED);
		while ((old & 0xff0000) || !__atomic_compare_exchange_n(&lock.word, &old, old | 0x10000, 0, __ATOMIC_ACQUIRE,
								     __ATOMIC_RELAXED)) {
			sched_yield();
			old = __atomic_load_n(&lock.word, __ATOMIC_RELAXED);
		}
		shared[0]++;
		shared[1] += shared[0];
		__atomic_fetch_add(&lock.byte[0], 1, __ATOMIC_RELAXED);
		__atomic_store_n(&lock.byte[2], 0, __ATOMIC_RELEASE);
	}
	return a;
}
int main(void)
{
	pthread_t t[3];
	for (int i = 0; i < 3; i++)
		pthread_create(&t[i], NULL, work, NULL);
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], NULL);
	return shared[0] != 6000;
}
