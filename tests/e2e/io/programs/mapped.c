/* A file in memory: what is written to its descriptors appears in it, and in a second mapping of it. */
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

#define SIZE (3 * 4096)

static int fd;
static char *first, *second;

static void show(const char *what, const char *at)
{
	printf("%s: %.12s\n", what, at);
}

static void *appender(void *unused)
{
	struct iovec parts[] = { { "parts ", 6 }, { "of two", 7 } };
	lseek(fd, 8192, SEEK_SET);
	if (writev(fd, parts, 2) != 13 || write(fd, "later", 6) != 6)
		abort();
	return unused;
}

int main(void)
{
	pthread_t t;
	char name[] = "mapped.XXXXXX";
	fd = mkstemp(name);
	if (fd < 0 || write(fd, "before", 7) != 7 || ftruncate(fd, SIZE))
		return 3;
	first = mmap(NULL, SIZE, PROT_READ, MAP_SHARED, fd, 0);
	second = mmap(NULL, SIZE - 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 4096);
	int again = open(name, O_RDWR);
	if (first == MAP_FAILED || second == MAP_FAILED || again < 0)
		return 3;
	unlink(name);
	show("mapped", first);
	if (pwrite(again, "by position", 12, 4096) != 12)
		return 3;
	show("first", first + 4096);
	show("second", second);
	strcpy(second, "by a store");
	show("first", first + 4096);
	pthread_create(&t, NULL, appender, NULL);
	pthread_join(t, NULL);
	show("first", first + 8192);
	show("second", second + 4096 + 13);
	char back[16];
	if (pread(fd, back, sizeof(back), 4096) != sizeof(back))
		return 3;
	show("read", back);
	if (ftruncate(fd, 4096) || ftruncate(fd, SIZE))
		return 3;
	show("cut", second);
	return strcmp(first, "before") || *second ? 1 : 0;
}
