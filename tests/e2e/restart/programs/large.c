// RESTART inplace
// Memory that is too large to be copied each time: a large variable, and large blocks, which are zero when they are new.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static int table[1 << 20];
static struct { int a[2000]; } one, other;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *fill(void *from)
{
	for (int i = (int)(long)from; i < 1 << 20; i += 100003) {
		pthread_mutex_lock(&lock);
		assert(table[i] == 0);
		table[i] = i + 1;
		pthread_mutex_unlock(&lock);
	}
	char *block = malloc(1 << 20), *small = malloc(30000);
	assert(block[0] == 0 && block[77777] == 0 && block[(1 << 20) - 1] == 0);
	memset(block, 1, 200000);
	block[(1 << 20) - 1] = 1;
	small[0] = 1;
	free(block);
	return small;
}

int main(void)
{
	pthread_t thread;
	one.a[1999]++;
	assert(one.a[1999] == 1 && other.a[5] == 0);
	other = one;
	other.a[5] = 9;
	pthread_create(&thread, NULL, fill, (void *)1l);
	fill((void *)2l);
	pthread_join(thread, NULL);
	return table[1];
}
