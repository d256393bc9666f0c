/* SPDX-License-Identifier: Apache-2.0 */
/* System calls with pointers that lead nowhere fail with EFAULT; the program continues. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#define TRY(...)                                                                         \
	do {                                                                             \
		errno = 0;                                                               \
		long result = (long)(__VA_ARGS__);                                       \
		printf("%s: %ld %s\n", #__VA_ARGS__, result, strerror(errno)); \
	} while (0)

static char *volatile none = (char *)16, *volatile null;

int main(void)
{
	int pair[2], ends[2], file = open("/etc/passwd", O_RDONLY), epoll = epoll_create1(0);
	char *page = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char *fixed = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct iovec part = { none, 4 };
	void *bad = none;
	mprotect(page + 4096, 4096, PROT_NONE);
	socketpair(AF_UNIX, SOCK_STREAM, 0, pair);
	pipe(ends);
	write(ends[1], "hello", 5);
	write(pair[1], "x", 1);

	TRY(read(ends[0], bad, 4));
	TRY(read(ends[0], null, 4));
	TRY(read(file, fixed, 4));
	TRY(write(ends[1], bad, 4));
	TRY(write(ends[1], page + 4090, 100));
	TRY(readv(ends[0], bad, 1));
	TRY(writev(ends[1], bad, 1));
	TRY(readv(file, &part, 1));
	TRY(writev(ends[1], &part, 1));
	TRY(stat(bad, (struct stat *)page));
	TRY(stat("/", bad));
	TRY(open(bad, O_RDONLY));
	TRY(access(bad, 0));
	TRY(unlink(bad));
	TRY(mkdir(bad, 0700));
	TRY(rename(bad, "x"));
	TRY(chdir(bad));
	TRY(pipe(bad));
	TRY(poll(bad, 1, 0));
	TRY(select(1, bad, NULL, NULL, NULL));
	TRY(pselect(1, bad, NULL, NULL, NULL, NULL));
	TRY(epoll_ctl(epoll, EPOLL_CTL_ADD, ends[0], bad));
	TRY(recv(pair[0], bad, 1, 0));
	TRY(send(pair[1], bad, 1, 0));
	TRY(recvmsg(pair[0], bad, 0));
	TRY(sendmsg(pair[1], bad, 0));
	TRY(connect(pair[0], bad, 16));
	TRY(getsockname(pair[0], bad, bad));
	TRY(getsockopt(pair[0], SOL_SOCKET, SO_TYPE, bad, bad));
	TRY(setsockopt(pair[0], SOL_SOCKET, SO_KEEPALIVE, bad, 4));
	TRY(fcntl(file, F_GETLK, bad));
	TRY(ioctl(ends[0], FIONREAD, bad));
	TRY(nanosleep(bad, NULL));
	TRY(sigaltstack(bad, NULL));
	TRY(sigpending(bad));
	TRY(uname(bad));
	TRY(getrlimit(RLIMIT_NOFILE, bad));
	return 0;
}
