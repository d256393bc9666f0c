// expect:
#include "turns.h"
static pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;
static int table[16];
static void *reader(void *a)
{
	long sum = 0;
	for (int i = 0; i < 3000; i++) {
		pthread_rwlock_rdlock(&l);
		sum += table[i % 16];
		pthread_rwlock_unlock(&l);
	}
	return sum ? a : NULL;
}
static void *writer(void *a)
{
	for (int i = 0; i < 3000; i++) {
		pthread_rwlock_wrlock(&l);
		table[i % 16]++;
		pthread_rwlock_unlock(&l);
	}
	return a;
}
int main(void)
{
	pthread_t t[6];
	for (int i = 0; i < 6; i++)
		pthread_create(&t[i], NULL, i % 2 ? reader : writer, NULL);
	for (int i = 0; i < 6; i++)
		pthread_join(t[i], NULL);
	return 0;
}
