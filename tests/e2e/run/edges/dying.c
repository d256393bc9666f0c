/* SPDX-License-Identifier: Apache-2.0 */
/* Ways to die, by name, while other threads wait: one for a lock that another one holds, one in a read, one runs. */
#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static pthread_mutex_t shelf = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t filled = PTHREAD_COND_INITIALIZER;
static pthread_mutex_t box = PTHREAD_MUTEX_INITIALIZER;
static sem_t ticket, ready;
static const char *volatile name;
static volatile int zero;
static atomic_long rounds;
static sigjmp_buf again;

static void *holds(void *a)
{
	pthread_mutex_lock(&shelf);
	sem_post(&ready);
	sem_wait(&ticket);
	pthread_mutex_unlock(&shelf);
	return a;
}

static void *waits(void *a)
{
	sem_post(&ready);
	pthread_mutex_lock(&shelf);
	pthread_mutex_unlock(&shelf);
	return a;
}

static void *sleeps(void *a)
{
	pthread_mutex_lock(&box);
	sem_post(&ready);
	pthread_cond_wait(&filled, &box);
	pthread_mutex_unlock(&box);
	return a;
}

static void *reads(void *a)
{
	char byte;
	int ends[2];
	if (pipe(ends))
		return a;
	sem_post(&ready);
	return read(ends[0], &byte, 1) ? a : 0;
}

static void turn(void)
{
	sem_post(&ready);
	for (;;)
		rounds++;
}

static void *turns(void *a)
{
	turn();
	return a;
}

static int deep(int n)
{
	volatile char room[4000];
	room[0] = (char)n;
	return deep(n + 1) + room[0];
}

static void *overflows(void *a)
{
	zero = deep(0);
	return a;
}

static void recover(int number)
{
	siglongjmp(again, number);
}

/* Threads that the kernel calls sleeping. */
static int count_asleep(void)
{
	int n = 0;
	DIR *tasks = opendir("/proc/self/task");
	for (struct dirent *e; (e = readdir(tasks));) {
		char path[300], text[64] = "";
		snprintf(path, sizeof(path), "/proc/self/task/%s/stat", e->d_name);
		int fd = open(path, O_RDONLY);
		if (fd >= 0 && read(fd, text, sizeof(text) - 1) > 0 && strstr(text, ") S"))
			n++;
		close(fd);
	}
	closedir(tasks);
	return n;
}

static void start_others(pthread_t *t)
{
	static void *(*const work[])(void *) = { holds, waits, sleeps, reads, turns };
	for (int i = 0; i < 5; i++) {
		pthread_create(&t[i], 0, work[i], 0);
		sem_wait(&ready);
	}
	/* All but the last and this one are asleep in what they wait for. */
	for (int looks = 0; looks < 3; looks = count_asleep() == 4 ? looks + 1 : 0)
		usleep(1000);
}

static int die(const char *how, pthread_t *t)
{
	if (!strcmp(how, "null"))
		*(volatile int *)24 = 1;
	else if (!strcmp(how, "library"))
		return (int)strlen(name);
	else if (!strcmp(how, "nowhere"))
		((void (*)(void))16)();
	else if (!strcmp(how, "impossible"))
		*(volatile int *)0x8000000000000000ul = 1;
	else if (!strcmp(how, "division"))
		return 10 / zero;
	else if (!strcmp(how, "abort"))
		abort();
	else if (!strcmp(how, "sent"))
		kill(getpid(), SIGBUS);
	else if (!strcmp(how, "default")) {
		signal(SIGSEGV, recover);
		signal(SIGSEGV, SIG_DFL);
		*(volatile int *)32 = 1;
	} else if (!strcmp(how, "overflow")) {
		pthread_create(&t[5], 0, overflows, 0);
		pthread_join(t[5], 0);
	} else if (!strcmp(how, "hang"))
		pthread_join(t[1], 0);
	return 0;
}

int main(int argc, char **argv)
{
	pthread_t t[6];
	const char *how = argc > 1 ? argv[1] : "";
	sem_init(&ticket, 0, 0);
	sem_init(&ready, 0, 0);
	if (!strcmp(how, "recover")) {
		signal(SIGSEGV, recover);
		if (!sigsetjmp(again, 1))
			*(volatile int *)8 = 1;
		return 0;
	}
	if (!strcmp(how, "child")) {
		pid_t child = fork();
		if (!child)
			abort();
		waitpid(child, 0, 0);
		return 0;
	}
	start_others(t);
	return die(how, t);
}
