/* SPDX-License-Identifier: Apache-2.0 */
/* One thread reads standard input, which comes slowly; another one works meanwhile, until the first is done. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int is_done;
static long turns;

static void *work(void *unused)
{
	for (;;) {
		pthread_mutex_lock(&lock);
		int stop = is_done;
		turns++;
		pthread_mutex_unlock(&lock);
		if (stop)
			return unused;
		usleep(1000);
	}
}

int main(int argc, char **argv)
{
	pthread_t t;
	char text[64];
	if (argc > 1)
		pthread_create(&t, NULL, work, NULL);
	if (argc > 1 && !strcmp(argv[1], "stream")) {
		while (fgets(text, sizeof(text), stdin))
			printf("line: %s", text);
	} else {
		for (ssize_t n; (n = read(0, text, sizeof(text))) > 0;)
			printf("bytes: %.*s", (int)n, text);
	}
	pthread_mutex_lock(&lock);
	is_done = 1;
	pthread_mutex_unlock(&lock);
	if (argc > 1)
		pthread_join(t, NULL);
	printf("worked: %d\n", argc < 2 || turns > 0);
	return 0;
}
