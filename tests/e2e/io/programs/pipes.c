/* SPDX-License-Identifier: Apache-2.0 */
/* A pipe and a socket pair between threads: writes larger than either holds, and streams on both ends. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static int ends[2], pair[2], words[2];

static void *writer(void *unused)
{
	static char block[100000];
	memset(block, 'x', sizeof(block));
	for (int i = 0; i < 2; i++)
		if (write(ends[1], block, sizeof(block)) != sizeof(block))
			abort();
	close(ends[1]);
	return unused;
}

static void *sender(void *unused)
{
	static char block[300000];
	if (send(pair[1], block, sizeof(block), 0) != sizeof(block))
		abort();
	shutdown(pair[1], SHUT_WR);
	char answer[3];
	if (recv(pair[1], answer, 3, MSG_WAITALL) != 3 || memcmp(answer, "abc", 3))
		abort();
	return unused;
}

static void *talker(void *unused)
{
	FILE *f = fdopen(words[1], "w");
	for (int i = 0; i < 5; i++) {
		fprintf(f, "word %d\n", i);
		fflush(f);
	}
	fclose(f);
	return unused;
}

static void *listener(void *stream)
{
	char line[32];
	int n = 0;
	while (fgets(line, sizeof(line), stream))
		n++;
	return (void *)(long)n;
}

int main(void)
{
	pthread_t t[5];
	char block[7000];
	long n = 0, k;
	if (pipe(ends) || pipe(words) || socketpair(AF_UNIX, SOCK_STREAM, 0, pair))
		return 1;
	FILE *shared = fdopen(words[0], "r");
	pthread_create(&t[0], NULL, writer, NULL);
	pthread_create(&t[1], NULL, sender, NULL);
	pthread_create(&t[2], NULL, talker, NULL);
	pthread_create(&t[3], NULL, listener, shared);
	pthread_create(&t[4], NULL, listener, shared);
	while ((k = read(ends[0], block, sizeof(block))) > 0)
		n += k;
	printf("pipe %ld\n", n);
	for (n = 0; (k = recv(pair[0], block, sizeof(block), 0)) > 0; n += k)
		;
	printf("pair %ld\n", n);
	for (const char *c = "abc"; *c; c++)
		send(pair[0], c, 1, 0);
	void *first, *second;
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], NULL);
	pthread_join(t[3], &first);
	pthread_join(t[4], &second);
	printf("words %ld\n", (long)first + (long)second);
	return 0;
}
