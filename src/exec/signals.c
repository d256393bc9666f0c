/* SPDX-License-Identifier: Apache-2.0 */
/* Passes signals to the tool on to the program; see signals.h. */
#include "exec/signals.h"

#include <stddef.h>
#include <sys/signalfd.h>
#include <unistd.h>

int signals_open(sigset_t *mask_before)
{
	static const int numbers[] = { SIGCHLD, SIGTERM, SIGINT,  SIGHUP,
				       SIGQUIT, SIGUSR1, SIGUSR2, SIGALRM };
	sigset_t set;
	sigemptyset(&set);
	for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++)
		sigaddset(&set, numbers[i]);
	sigprocmask(SIG_BLOCK, &set, mask_before);
	return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

int signals_next(int fd, bool *is_of_terminal)
{
	struct signalfd_siginfo s;
	if (read(fd, &s, sizeof(s)) != sizeof(s))
		return 0;
	*is_of_terminal = s.ssi_code == SI_KERNEL;
	return (int)s.ssi_signo;
}
