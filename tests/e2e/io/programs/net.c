/* SPDX-License-Identifier: Apache-2.0 */
/* A server and its clients in one process: TCP, UDP and local sockets, messages, options, names. */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <unistd.h>

#define CLIENTS 3

static struct sockaddr_in server;

static void *client(void *number)
{
	char text[64] = "";
	int fd = socket(AF_INET, SOCK_STREAM, 0), one = 1;
	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
	if (connect(fd, (struct sockaddr *)&server, sizeof(server)))
		return "connect failed";
	dprintf(fd, "client %ld", (long)number);
	size_t n = 0;
	ssize_t k;
	while ((k = recv(fd, text + n, sizeof(text) - n, 0)) > 0)
		n += (size_t)k;
	printf("%s\n", text);
	close(fd);
	return NULL;
}

static void datagrams(void)
{
	struct sockaddr_in a = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) }, from;
	socklen_t size = sizeof(a);
	int in = socket(AF_INET, SOCK_DGRAM, 0), out = socket(AF_INET, SOCK_DGRAM, 0);
	bind(in, (struct sockaddr *)&a, sizeof(a));
	getsockname(in, (struct sockaddr *)&a, &size);
	sendto(out, "datagram", 8, 0, (struct sockaddr *)&a, sizeof(a));
	char text[4];
	size = sizeof(from);
	ssize_t n = recvfrom(in, text, sizeof(text), MSG_TRUNC, (struct sockaddr *)&from, &size);
	printf("udp %zd %.4s %d\n", n, text, from.sin_family == AF_INET);
	n = recv(in, text, sizeof(text), MSG_DONTWAIT);
	printf("nothing more: %zd %d\n", n, errno == EAGAIN);
	struct timeval soon = { 0, 50000 };
	setsockopt(in, SOL_SOCKET, SO_RCVTIMEO, &soon, sizeof(soon));
	n = recv(in, text, sizeof(text), 0);
	printf("in time: %zd %d\n", n, errno == EAGAIN);
	close(in);
	close(out);
}

static void messages(void)
{
	int pair[2];
	socketpair(AF_UNIX, SOCK_DGRAM, 0, pair);
	struct iovec parts[2] = { { "two", 3 }, { "parts", 5 } };
	struct msghdr m = { .msg_iov = parts, .msg_iovlen = 2 };
	sendmsg(pair[0], &m, 0);
	char a[4] = "", b[16] = "", control[64];
	struct iovec room[2] = { { a, 3 }, { b, 15 } };
	struct sockaddr_un name;
	struct msghdr got = { .msg_name = &name, .msg_namelen = sizeof(name), .msg_iov = room, .msg_iovlen = 2,
			      .msg_control = control, .msg_controllen = sizeof(control) };
	ssize_t n = recvmsg(pair[1], &got, 0);
	printf("message %zd %s %s %d\n", n, a, b, (int)got.msg_controllen);
	close(pair[0]);
	close(pair[1]);
}

int main(void)
{
	pthread_t t[CLIENTS];
	int fd = socket(AF_INET, SOCK_STREAM, 0), type;
	socklen_t size = sizeof(server);
	server.sin_family = AF_INET;
	server.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	bind(fd, (struct sockaddr *)&server, sizeof(server));
	getsockname(fd, (struct sockaddr *)&server, &size);
	listen(fd, 1);
	size = sizeof(type);
	getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &size);
	printf("type %d, named %d\n", type == SOCK_STREAM, server.sin_port != 0);
	for (long i = 0; i < CLIENTS; i++)
		pthread_create(&t[i], NULL, client, (void *)i);
	for (int i = 0; i < CLIENTS; i++) {
		struct sockaddr_in peer, again;
		char text[32];
		size = sizeof(peer);
		int c = accept(fd, (struct sockaddr *)&peer, &size);
		size = sizeof(again);
		getpeername(c, (struct sockaddr *)&again, &size);
		ssize_t n = recv(c, text, sizeof(text), 0);
		dprintf(c, "hello %.*s, same port %d", (int)n, text, peer.sin_port == again.sin_port);
		shutdown(c, SHUT_WR);
		close(c);
	}
	for (int i = 0; i < CLIENTS; i++)
		pthread_join(t[i], NULL);
	datagrams();
	messages();
	return 0;
}
