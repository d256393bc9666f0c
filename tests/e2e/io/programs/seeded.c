/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What differs from run to run without heddle, and follows from the seed under it: random bytes in
 * every way to get them, the counter of the processor, the clocks that libc reads for itself, the
 * number of the processor.
 */
#define _GNU_SOURCE
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <x86intrin.h>

static pthread_mutex_t one = PTHREAD_MUTEX_INITIALIZER;

static void show(const char *what, const void *bytes, size_t n)
{
	pthread_mutex_lock(&one);
	printf("%s", what);
	for (size_t i = 0; i < n; i++)
		printf(" %02x", ((const unsigned char *)bytes)[i]);
	puts("");
	pthread_mutex_unlock(&one);
}

static void *draw(void *unused)
{
	unsigned char bytes[11], other[sizeof(bytes)];
	unsigned processor = 9;
	assert(getrandom(bytes, sizeof(bytes), 0) == sizeof(bytes) && !getentropy(other, sizeof(other)));
	assert(memcmp(bytes, other, sizeof(bytes)));
	show("getrandom", bytes, sizeof(bytes));
	int fd = open("/dev/urandom", O_RDONLY);
	struct iovec parts[] = { { bytes, 3 }, { other, 4 } };
	assert(fd >= 0 && read(fd, bytes, 1) == 1 && readv(fd, parts, 2) == 7 && !close(fd));
	show("device", bytes, 3);
	show("device", other, 4);
	unsigned number = arc4random();
	show("arc4random", &number, sizeof(number));
	unsigned long long before = __rdtsc(), after = __rdtscp(&processor);
	assert(after > before);
	show("counter", &after, sizeof(after));
	show("processor", &processor, sizeof(processor));
	return unused;
}

int main(int count, char **arguments)
{
	if (count > 1) { /* by exec: a new program has the counter and the clocks again */
		struct timespec now;
		return !(__rdtsc() && !clock_gettime(CLOCK_MONOTONIC, &now));
	}
	pthread_t t[2];
	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, draw, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	draw(NULL);
	show("at the start", (const void *)getauxval(AT_RANDOM), 16);
	/* Until so much time has passed that a counter of any speed has gone on. */
	for (unsigned long long start = __rdtsc(); __rdtsc() - start < 100000;)
		;
	unsigned processor = 9;
	assert(!getcpu(&processor, NULL));
	show("processor", &processor, sizeof(processor));
	fflush(stdout);
	int status = 1;
	pid_t child = fork();
	if (!child && (!__rdtsc() || clock() == -1))
		_exit(1);
	if (!child)
		execl("/proc/self/exe", arguments[0], "again", (char *)NULL);
	assert(waitpid(child, &status, 0) == child && !status);
	return 0;
}
