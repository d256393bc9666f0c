/* SPDX-License-Identifier: Apache-2.0 */
/* Locks of files: between threads of one process by flock, and against another process by fcntl. */
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/file.h>
#include <unistd.h>

static int inside, worst;

static void *enter(void *unused)
{
	int fd = open("lockfile", O_RDWR | O_CREAT, 0600);
	for (int i = 0; i < 3; i++) {
		flock(fd, LOCK_EX);
		inside++;
		if (inside > worst)
			worst = inside;
		sched_yield();
		inside--;
		flock(fd, LOCK_UN);
	}
	close(fd);
	return unused;
}

int main(void)
{
	pthread_t t[3];
	for (int i = 0; i < 3; i++)
		pthread_create(&t[i], NULL, enter, NULL);
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], NULL);
	printf("at once: %d\n", worst);
	int fd = open("lockfile", O_RDWR);
	struct flock l = { .l_type = F_WRLCK };
	printf("fcntl %d\n", fcntl(fd, F_SETLKW, &l));
	l.l_type = F_WRLCK;
	printf("getlk %d %d\n", fcntl(fd, F_GETLK, &l), l.l_type == F_UNLCK);
	return 0;
}
