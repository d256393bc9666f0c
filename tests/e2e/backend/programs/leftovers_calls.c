// EXPECT record: status 0
/*
 * The same after system calls, made by libc's functions and waited for in other threads' favour, after a handler that
 * was left by a jump, and after a cancellation: frames of the kernel's signals and of the runtime must not be found on
 * the program's stack.
 */
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static unsigned char seen[4096];
static unsigned long sum;
static int ends[2];
static sigjmp_buf out;

static __attribute__((noinline)) void look(void)
{
	unsigned char room[8192];
	__asm__ volatile("" : : "r"(room) : "memory");
	for (int part = 0; part < 2; part++) {
		memcpy(seen, room + 4096 * part, sizeof(seen));
		for (int i = 0; i < 4096; i++)
			sum = sum * 31 + seen[i];
	}
}

static void on_signal(int number)
{
	(void)number;
	siglongjmp(out, 1);
}

static void *reader(void *unused)
{
	char c;
	for (int i = 0; i < 3; i++) {
		if (read(ends[0], &c, 1) != 1)
			return &ends;
		look();
	}
	return unused;
}

static void after(void *unused)
{
	(void)unused;
	look();
}

static void *waiter(void *unused)
{
	char c;
	pthread_cleanup_push(after, NULL);
	if (read(ends[0], &c, 1) == 1)
		look();
	pthread_cleanup_pop(0);
	return unused;
}

int main(void)
{
	pthread_t t;
	signal(SIGUSR1, on_signal);
	if (pipe(ends))
		return 1;
	pthread_create(&t, NULL, reader, NULL);
	for (int i = 0; i < 3; i++) {
		if (write(ends[1], "x", 1) != 1)
			return 1;
		look();
	}
	pthread_join(t, NULL);
	if (!sigsetjmp(out, 1))
		raise(SIGUSR1);
	look();
	sum += (unsigned long)access("/", F_OK);
	look();
	pthread_create(&t, NULL, waiter, NULL);
	pthread_cancel(t);
	pthread_join(t, NULL);
	look();
	printf("%d\n", sum != 0);
}
