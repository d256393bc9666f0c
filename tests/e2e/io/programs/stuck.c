/* SPDX-License-Identifier: Apache-2.0 */
/* Both ends are here, and nobody writes: a deadlock on a pipe, an event counter, a socket pair or a connection. */
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <stdint.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

static int fd;
static const char *how;

static void *reader(void *unused)
{
	uint64_t value;
	if (!strcmp(how, "poll"))
		poll(&(struct pollfd){ .fd = fd, .events = POLLIN }, 1, -1);
	else if (!strcmp(how, "epoll"))
		epoll_wait(fd, &(struct epoll_event){ 0 }, 1, -1);
	else if (read(fd, &value, sizeof(value)) < 0)
		return "failed";
	return unused;
}

static int connection(void)
{
	struct sockaddr_in a = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t size = sizeof(a);
	int server = socket(AF_INET, SOCK_STREAM, 0), client = socket(AF_INET, SOCK_STREAM, 0);
	bind(server, (struct sockaddr *)&a, sizeof(a));
	listen(server, 1);
	getsockname(server, (struct sockaddr *)&a, &size);
	connect(client, (struct sockaddr *)&a, sizeof(a));
	accept(server, NULL, NULL);
	return client;
}

int main(int argc, char **argv)
{
	pthread_t t;
	int ends[2];
	how = argv[argc - 1];
	if (!strcmp(how, "event")) {
		fd = eventfd(0, 0);
	} else if (!strcmp(how, "pair")) {
		socketpair(AF_UNIX, SOCK_STREAM, 0, ends);
		fd = ends[0];
	} else if (!strcmp(how, "tcp")) {
		fd = connection();
	} else {
		if (pipe(ends))
			return 1;
		fd = ends[0];
	}
	if (!strcmp(how, "epoll")) {
		fd = epoll_create1(0);
		struct epoll_event e = { .events = EPOLLIN };
		epoll_ctl(fd, EPOLL_CTL_ADD, ends[0], &e);
	}
	pthread_create(&t, NULL, reader, NULL);
	pthread_join(t, NULL);
	return 0;
}
