/* Which thread is first. */
#include <pthread.h>
#include <stdio.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int next, order[2];
static void *take(void *a) { pthread_mutex_lock(&m); order[next++] = *(int *)a; pthread_mutex_unlock(&m); return NULL; }
int main(void)
{
	pthread_t t[2];
	int number[2] = { 1, 2 };
	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, take, &number[i]);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	printf("%d%d\n", order[0], order[1]);
	return 0;
}
