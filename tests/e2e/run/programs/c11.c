// expect: race:observed
// Threads of C11: the counter is fine, the flag is not.
#include <threads.h>
#include "turns.h"
static mtx_t lock;
static int counter, flag;
static int work(void *a)
{
	if (a)
		turn(1);
	mtx_lock(&lock);
	counter++;
	mtx_unlock(&lock);
	flag++;
	if (!a)
		done(1);
	return 7;
}
int main(void)
{
	thrd_t t[2];
	int result;
	mtx_init(&lock, mtx_plain);
	thrd_create(&t[0], work, NULL);
	thrd_create(&t[1], work, &lock);
	for (int i = 0; i < 2; i++) {
		thrd_join(t[i], &result);
		if (result != 7)
			return 3;
	}
	mtx_destroy(&lock);
	return 0;
}
