// EXPECT record: status 3
/* A thread sleeps in the kernel, in a call that heddle does not see, for something that nobody will ever do. */
#include <pthread.h>

static int word;

static void *sleeper(void *unused)
{
	(void)unused;
	long result;
	register long timeout __asm__("r10") = 0;
	__asm__ volatile("syscall" : "=a"(result) : "a"(202L), "D"(&word), "S"(0L), "d"(0L), "r"(timeout)
			 : "rcx", "r11", "memory");
	return NULL;
}

int main(void)
{
	pthread_t t;
	pthread_create(&t, NULL, sleeper, NULL);
	pthread_join(t, NULL);
}
