// As many threads as the argument says, all alive at once.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static pthread_barrier_t all_here;

static void *meet(void *unused)
{
	pthread_barrier_wait(&all_here);
	return unused;
}

int main(int argc, char **argv)
{
	unsigned n = argc > 1 ? (unsigned)atoi(argv[1]) : 4;
	pthread_t *threads = calloc(n, sizeof(*threads));
	pthread_attr_t attr;
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, 65536);
	pthread_barrier_init(&all_here, NULL, n + 1);
	for (unsigned i = 0; i < n; i++) {
		if (pthread_create(&threads[i], &attr, meet, NULL)) {
			printf("no thread after %u\n", i);
			exit(1);
		}
	}
	pthread_barrier_wait(&all_here);
	for (unsigned i = 0; i < n; i++)
		pthread_join(threads[i], NULL);
	printf("%u threads\n", n);
	return 0;
}
