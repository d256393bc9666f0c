/* SPDX-License-Identifier: Apache-2.0 */
/* An event loop with workers: epoll over an event counter, a pipe and a timer; then poll and select with timeouts. */
#include <poll.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/select.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

static int counter, ends[2];

static void *worker(void *unused)
{
	for (int i = 0; i < 3; i++)
		eventfd_write(counter, 1);
	if (write(ends[1], "job", 3) != 3)
		return "write failed";
	return unused;
}

static void watch(int epoll, int fd)
{
	struct epoll_event e = { .events = EPOLLIN, .data.fd = fd };
	epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &e);
}

int main(void)
{
	pthread_t t[2];
	counter = eventfd(0, EFD_NONBLOCK);
	int epoll = epoll_create1(0), timer = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK);
	if (pipe(ends))
		return 1;
	struct itimerspec soon = { { 0, 100000000 }, { 3600, 0 } };	/* an hour of virtual time */
	timerfd_settime(timer, 0, &soon, NULL);
	watch(epoll, counter);
	watch(epoll, ends[0]);
	watch(epoll, timer);
	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, worker, NULL);
	uint64_t events = 0, expired = 0, value;
	long bytes = 0;
	while (events < 6 || bytes < 6 || expired < 3) {
		struct epoll_event ready[4];
		int n = epoll_wait(epoll, ready, 4, -1);
		for (int i = 0; i < n; i++) {
			char text[16];
			if (ready[i].data.fd == counter && !eventfd_read(counter, &value))
				events += value;
			else if (ready[i].data.fd == ends[0])
				bytes += read(ends[0], text, sizeof(text));
			else if (ready[i].data.fd == timer && read(timer, &value, sizeof(value)) == sizeof(value))
				expired += value;
		}
	}
	printf("events %d bytes %ld timer %d\n", (int)events, bytes, expired >= 3);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);

	struct timespec before, after;
	struct pollfd p = { .fd = ends[0], .events = POLLIN };
	clock_gettime(CLOCK_MONOTONIC, &before);
	int n = poll(&p, 1, 600000);	/* ten minutes */
	clock_gettime(CLOCK_MONOTONIC, &after);
	printf("poll %d after %d minutes\n", n, (int)((after.tv_sec - before.tv_sec) / 60));
	fd_set in;
	FD_ZERO(&in);
	FD_SET(ends[0], &in);
	struct timeval wait = { 30, 0 };
	n = select(ends[0] + 1, &in, NULL, NULL, &wait);
	printf("select %d %d\n", n, FD_ISSET(ends[0], &in) != 0);
	if (write(ends[1], "x", 1) == 1)
		FD_SET(ends[0], &in);
	n = select(ends[0] + 1, &in, NULL, NULL, NULL);
	printf("select %d %d\n", n, FD_ISSET(ends[0], &in) != 0);
	clock_gettime(CLOCK_MONOTONIC, &before);
	n = poll(NULL, 0, 60000) + select(0, NULL, NULL, NULL, &(struct timeval){ 60, 0 });
	clock_gettime(CLOCK_MONOTONIC, &after);
	printf("slept %d %d minutes\n", n, (int)((after.tv_sec - before.tv_sec) / 60));
	n = epoll_wait(epoll, &(struct epoll_event){ 0 }, 1, 0);
	printf("epoll %d\n", n);
	return 0;
}
