#include <stdio.h>
#include <pthread.h>
int plug_sum(int);
static void *go(void *p) { printf("%d\n", plug_sum(10)); return p; }
int main(void) {
	pthread_t t;
	pthread_create(&t, 0, go, 0);
	pthread_join(t, 0);
	printf("%d\n", plug_sum(5));
	return 0;
}
