/* SPDX-License-Identifier: Apache-2.0 */
/* Several messages by one call, and sets of signals. */
#define _GNU_SOURCE
#include <assert.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

static char first[16], second[16];
static struct mmsghdr messages[3];
static struct iovec parts[3];

int main(void)
{
	static sigset_t a, b, both;
	int ends[2];
	assert(!socketpair(AF_UNIX, SOCK_DGRAM, 0, ends));
	parts[0] = (struct iovec){ "hello", 5 };
	parts[1] = (struct iovec){ "there", 6 };
	for (int i = 0; i < 3; i++)
		messages[i].msg_hdr = (struct msghdr){ .msg_iov = &parts[i], .msg_iovlen = 1 };
	assert(sendmmsg(ends[0], messages, 2, 0) == 2 && messages[0].msg_len == 5 && messages[1].msg_len == 6);
	parts[0] = (struct iovec){ first, sizeof(first) };
	parts[1] = (struct iovec){ second, sizeof(second) };
	parts[2] = (struct iovec){ second, sizeof(second) };
	assert(recvmmsg(ends[1], messages, 3, MSG_WAITFORONE, NULL) == 2);
	assert(messages[0].msg_len == 5 && messages[1].msg_len == 6 && !memcmp(first, "hello", 5));
	assert(recvmmsg(ends[1], messages, 3, MSG_DONTWAIT, NULL) == -1);
	puts(second);
	sigemptyset(&a);
	sigaddset(&a, SIGUSR1);
	sigfillset(&b);
	assert(!sigpending(&both) && sigisemptyset(&both) && !sigandset(&both, &a, &b) && sigismember(&both, SIGUSR1) == 1 && !sigismember(&both, SIGUSR2));
	assert(!sigorset(&both, &a, &b) && sigismember(&both, SIGUSR2) == 1 && !sigisemptyset(&a));
	return 0;
}
