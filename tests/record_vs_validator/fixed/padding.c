/* SPDX-License-Identifier: Apache-2.0 */
/* Padding that nobody wrote is copied with its struct: what the runtime leaves on a stack must not get into
 * it. */
#include <pthread.h>

struct padded {
	char letter;
	long number;
	short rest;
};

static struct padded shared[8];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static __attribute__((noinline)) void put(int i)
{
	struct padded p;
	p.letter = (char)i;
	p.number = i * 7;
	p.rest = 3;
	shared[i % 8] = p;
}

static __attribute__((noinline)) int deep(int n)
{
	int own = n;
	return n > 0 ? own + deep(n - 1) : own;
}

static void *work(void *unused)
{
	for (int i = 0; i < 50; i++) {
		deep(i % 5);
		put(i);
		pthread_mutex_lock(&lock);
		deep(3);
		pthread_mutex_unlock(&lock);
	}
	return unused;
}

int main(void)
{
	pthread_t t[2];
	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, work, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	return shared[3].rest != 3;
}
