/* SPDX-License-Identifier: Apache-2.0 */
/* Input and output by system calls that are made by number; a replay needs neither file nor input. */
#define _GNU_SOURCE
#include <assert.h>
#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

static int ends[2];

static void *echo(void *unused)
{
	char c;
	while (syscall(SYS_read, ends[0], &c, 1l) == 1)
		syscall(SYS_write, 1, &c, 1l);
	return unused;
}

int main(void)
{
	pthread_t t;
	char line[128], text[256];
	struct statx x;
	assert(!syscall(SYS_pipe2, ends, 0));
	pthread_create(&t, NULL, echo, NULL);
	long n = syscall(SYS_read, 0, line, sizeof(line));
	assert(n > 0 && syscall(SYS_write, ends[1], line, n) == n);
	syscall(SYS_close, ends[1]);
	pthread_join(t, NULL);
	long fd = syscall(SYS_openat, AT_FDCWD, "seen", O_RDONLY);
	assert(fd >= 0 && !syscall(SYS_statx, fd, "", AT_EMPTY_PATH, STATX_SIZE, &x));
	char *content = (char *)syscall(SYS_mmap, NULL, x.stx_size, PROT_READ, MAP_PRIVATE, fd, 0l);
	assert(content != (char *)-1);
	int length = snprintf(text, sizeof(text), "%d bytes: ", (int)x.stx_size);
	struct iovec parts[] = { { text, (size_t)length }, { content, x.stx_size } };
	assert(syscall(SYS_writev, 1, parts, 2) == length + (long)x.stx_size);
	long made = syscall(SYS_openat, AT_FDCWD, "made", O_RDWR | O_CREAT | O_TRUNC, 0600);
	assert(syscall(SYS_copy_file_range, fd, &(loff_t){ 0 }, made, NULL, 7l, 0) == 7);
	assert(syscall(SYS_pread64, made, text, 7l, 0l) == 7 && !memcmp(text, "content", 7));
	assert(!syscall(SYS_unlinkat, AT_FDCWD, "made", 0));
	assert(syscall(SYS_getdents64, syscall(SYS_open, ".", O_RDONLY | O_DIRECTORY), text, 256l) > 0);
	syscall(SYS_write, 1, "done\n", 5l);
	return 0;
}
