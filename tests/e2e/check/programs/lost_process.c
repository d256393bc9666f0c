/* SPDX-License-Identifier: Apache-2.0 */
// The process is killed in one of its schedules: what came after that is not known.
// STATUS 4
// COMPLETE false
// INCONCLUSIVE lost
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

static int value;

static void *change(void *arg)
{
	__atomic_store_n(&value, 1, __ATOMIC_SEQ_CST);
	return arg;
}

int main(void)
{
	pthread_t t;
	pthread_create(&t, NULL, change, NULL);
	if (__atomic_load_n(&value, __ATOMIC_SEQ_CST)) {
		long result, pid;
		__asm__ volatile("syscall" : "=a"(pid) : "a"(39) : "rcx", "r11", "memory");
		__asm__ volatile("syscall" : "=a"(result) : "a"(62), "D"(pid), "S"(SIGKILL) : "rcx", "r11", "memory");
	}
	pthread_join(t, NULL);
	return 0;
}
