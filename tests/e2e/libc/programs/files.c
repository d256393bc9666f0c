/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Descriptors, files and directories, and a pipe between threads: the reader waits without stopping the
 * writer.
 *
 * trace: input-data .*#68656c6c6f
 * trace: open = 
 * trace: close = 
 */
#define _GNU_SOURCE
#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

static int ends[2], waiting = -1;
static char c;

static void *writer(void *unused)
{
	(void)unused;
	for (int i = 0; i < 3; i++) {
		usleep(10);
		assert(write(ends[1], &"abc"[i], 1) == 1);
	}
	assert(!close(ends[1]));
	return NULL;
}

static void pipes(void)
{
	pthread_t t;
	assert(!pipe(ends));
	pthread_create(&t, NULL, writer, NULL);
	while (read(ends[0], &c, 1) == 1)
		putchar(c);
	putchar('\n');
	pthread_join(t, NULL);
	assert(!ioctl(ends[0], FIONREAD, &waiting) && waiting == 0 && !close(ends[0]));
}

int main(void)
{
	static char dir[] = "files.XXXXXX", text[32], link[32];
	static struct stat st;
	char *here;
	assert(mkdtemp(dir) && !chdir(dir));
	int fd = open("one", O_RDWR | O_CREAT | O_EXCL, 0640);
	assert(fd >= 0 && write(fd, "hello world", 11) == 11 && lseek(fd, 0, SEEK_SET) == 0);
	assert(read(fd, text, 5) == 5 && !strcmp(text, "hello") && pread(fd, text, 5, 6) == 5 &&
	       !strcmp(text, "world"));
	struct iovec parts[2] = { { text, 2 }, { text + 10, 3 } };
	assert(lseek(fd, 0, SEEK_SET) == 0 && readv(fd, parts, 2) == 5 && !memcmp(text + 10, "llo", 3));
	assert(pwrite(fd, "HELLO", 5, 0) == 5 && writev(fd, parts, 2) == 5 && !fsync(fd) &&
	       !ftruncate(fd, 8));
	int twin = dup(fd);
	assert(twin > fd && fcntl(twin, F_GETFL) & O_RDWR && !isatty(twin) && errno == ENOTTY &&
	       !close(twin));
	assert(!fstat(fd, &st) && st.st_size == 8 && !close(fd) && close(fd) == -1 && errno == EBADF);
	assert(!stat("one", &st) && S_ISREG(st.st_mode) && !rename("one", "two") &&
	       access("one", F_OK) == -1 && errno == ENOENT);
	assert(!symlink("two", "three") && readlink("three", link, sizeof(link)) == 3 &&
	       !strcmp(link, "two"));
	assert(!lstat("three", &st) && S_ISLNK(st.st_mode) && !mkdir("sub", 0700));
	int entries = 0;
	DIR *d = opendir(".");
	for (struct dirent *e; (e = readdir(d));)
		entries += e->d_name[0] != '.';
	assert(!closedir(d));
	printf("%d entries\n", entries);
	here = getcwd(NULL, 0);
	assert(here && strstr(here, dir));
	free(here);
	assert(!unlink("three") && !remove("two") && !rmdir("sub") && !chdir("..") && !rmdir(dir));
	pipes();
	return 0;
}
